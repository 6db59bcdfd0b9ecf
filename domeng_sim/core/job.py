"""What a game's loop is told to do and where it writes: the same for every game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.jit import kernel

DONE, FULL = 0, 1
"""Status of a loop: all matches played, or room or budget used up (call again)."""


class Job(NamedTuple):
    """What to play.

    Attributes
    ----------
    seed
        Key of all random numbers.
    first_match, end_match
        Half-open range of matches.
    games, rounds
        Length of a match in games or in rounds; the other one is 0.
    cluster
        Matches whose counts are added up in one row of counts.
    block
        Rounds that are dealt at a time.
    max_events
        More events than a round can have: with less room than that their table is full.
    write_games, write_rounds, write_hands
        What rows to write; events are written where `Output.log` is a `Log`.
    """

    seed: np.uint64
    first_match: np.int64
    end_match: np.int64
    games: np.int64
    rounds: np.int64
    cluster: np.int64
    block: np.int64
    max_events: np.int64
    write_games: bool
    write_rounds: bool
    write_hands: bool


class Output(NamedTuple):
    """What the kernel fills.

    Attributes
    ----------
    counts
        int64, flat: (clusters, counters).
    n_counts
        Counters in a row.
    games, rounds
        Rows of the tables; capacity 0 where they are not written.
    log
        A `Log`, or `NoLog` where events are not written.
    """

    counts: npt.NDArray[np.int64]
    n_counts: np.int64
    games: TableBuffers
    rounds: TableBuffers
    log: Any


class RoundKey(NamedTuple):
    """Keys of a round."""

    match: np.uint64
    game: np.int64
    round_: np.int64


class Log(NamedTuple):
    """Where the events of a round go.

    Attributes
    ----------
    rows
        Buffers of the `events` table.
    position
        int64, shape (2,), written: the next row, and the step in the round.
    """

    rows: TableBuffers
    position: npt.NDArray[np.int64]


class NoLog(NamedTuple):
    """Events are not written: a type of its own, so that engines without them carry no code for them.

    Attributes
    ----------
    nothing
        Always 0; the compiler takes no tuple without a field.
    """

    nothing: np.int64 = np.int64(0)


@by_type(1)
def has_room(log: Any, n_events: int) -> bool:
    """Whether so many more events can be written."""


@answer(has_room, Log)
@kernel
def _has_room(log: Log, n_events: int) -> bool:
    return log.position[0] + n_events <= log.rows.i8.shape[1]


@answer(has_room, NoLog)
@kernel
def _has_no_need(log: NoLog, n_events: int) -> bool:
    return True


class Tally(NamedTuple):
    """Where the counts of a round go.

    Attributes
    ----------
    counts
        int64, flat: rows of counters one after the other.
    base
        Where the row of this round's cluster begins.
    """

    counts: npt.NDArray[np.int64]
    base: np.uint64


@kernel
def cluster_base(job: Job, out: Output, match: int) -> Word:
    """Where the row of counts of a match begins."""
    return U(((match - job.first_match) // job.cluster) * out.n_counts)


@kernel
def length_bin(n_rounds: int) -> int:
    """Bin of a game of so many rounds; see `games.lengths`."""
    if n_rounds < 256:
        return n_rounds
    octave, top = 0, n_rounds >> 4
    while top >= 32:
        top >>= 1
        octave += 1
    return 256 + 16 * octave + top - 16
