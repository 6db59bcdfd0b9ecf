"""Chunks of blocks, played by several threads, given in their order, and looked at until there is enough."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from domeng_sim.comparisons.blocks import BlockPlayer, Scores, play_elsewhere
from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.comparisons.stopping import Clock, Stopping, chunks
from domeng_sim.errors import Interrupted, UserError
from domeng_sim.games.types import StrategyError
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.part_player import prepare, tell_notes
from domeng_sim.runs.plan import Range
from domeng_sim.runs.progress import Progress
from domeng_sim.runs.session import Session


class Store(Protocol):
    """Keeps the scores of chunks."""

    def load(self, lineup: Lineup, blocks: Range) -> Scores | None:
        """Scores kept before, or None."""
        ...

    def save(self, lineup: Lineup, blocks: Range, scores: Scores) -> None:
        """Keep scores; called from several threads."""
        ...


@dataclass(frozen=True)
class Chunk:
    """Scores of a chunk for every lineup, in the order of the lineups."""

    blocks: Range
    scores: tuple[Scores, ...]


def play_chunks(
    player: BlockPlayer,
    lineups: Sequence[Lineup],
    limit: int,
    executor: Executor,
    failed: threading.Event,
    store: Store | None = None,
    on_wait: Callable[[], None] = lambda: None,
) -> Iterator[Chunk]:
    """Play chunk after chunk, several at a time, and give them in their order.

    Parameters
    ----------
    player
        Who plays; its `should_stop` must say so once `failed` is set.
    lineups
        What to play.
    limit
        Number of blocks.
    executor
        What plays, several lineups of chunks at a time.
    failed
        Set here as soon as nothing more is wanted.
    store
        Where scores are kept, and found again.
    on_wait
        Called some ten times a second.

    Raises
    ------
    Interrupted
        If the player was told to stop.
    """

    def play(item: tuple[Range, int]) -> tuple[Range, int, Scores]:
        blocks, number = item
        scores = store.load(lineups[number], blocks) if store else None
        if scores is None:
            scores = player.play(lineups[number], blocks)
            if store:
                store.save(lineups[number], blocks, scores)
        return blocks, number, scores

    schedule = chunks(limit)
    items = ((blocks, number) for blocks in chunks(limit) for number in range(len(lineups)))
    waiting: dict[Range, dict[int, Scores]] = {}
    if executor.is_local:
        results = executor.map(play, items, on_wait)
    else:
        results = _from_elsewhere(player, lineups, items, executor, store, on_wait)
    try:
        here = next(schedule, None)
        for blocks, number, scores in results:
            waiting.setdefault(blocks, {})[number] = scores
            while here is not None and len(waiting.get(here, ())) == len(lineups):
                found = waiting.pop(here)
                yield Chunk(here, tuple(found[place] for place in range(len(lineups))))
                here = next(schedule, None)
    finally:
        failed.set()
        results.close()


def _from_elsewhere(
    player: BlockPlayer,
    lineups: Sequence[Lineup],
    items: Iterator[tuple[Range, int]],
    executor: Executor,
    store: Store | None,
    on_wait: Callable[[], None],
) -> Generator[tuple[Range, int, Scores], None, None]:
    """Chunks as other processes play them; what is kept is read and written here, for it is little.

    Raises
    ------
    UserError
        If a user's function failed.
    """

    def check() -> None:
        on_wait()
        player.check()

    kept: deque[tuple[Range, int, Scores]] = deque()

    def missing() -> Iterator[tuple[Range, int]]:
        for blocks, number in items:
            scores = store.load(lineups[number], blocks) if store else None
            if scores is None:
                yield blocks, number
            else:
                kept.append((blocks, number, scores))

    play = partial(play_elsewhere, player.setting, tuple(lineups))
    try:
        with contextlib.closing(executor.map(play, missing(), check)) as results:
            for blocks, number, scores in results:
                while kept:
                    yield kept.popleft()
                if store:
                    store.save(lineups[number], blocks, scores)
                yield blocks, number, scores
    except StrategyError as error:
        raise UserError(str(error)) from error
    yield from kept


@dataclass
class StudySession(Session):
    """Execution settings (threads, progress, stop, store); they never affect results.

    Attributes
    ----------
    store
        Where blocks are kept, and found again; None keeps nothing.
    on_stopped
        Called when the play has ended because of `stop`, before the result is made of what is known.
    """

    store: Store | None = None
    on_stopped: Callable[[], None] = lambda: None


def compile_engines(player: BlockPlayer, lineups: Sequence[Lineup], progress: Progress) -> None:
    """Load the strategies and compile what is not compiled yet, so that no thread, and no clock, waits for it."""
    player.load(tuple(spec for lineup in lineups for spec in lineup.members))
    tasks = [player.task(lineup, lineup.seatings[0], Range(0, 1)) for lineup in lineups]
    tell_notes(player.kernel, tasks, progress)
    for task in tasks:
        prepare(player.kernel, task, progress)


def drive(
    setting: Setting,
    lineups: Sequence[Lineup],
    stopping: Stopping,
    session: StudySession,
    add: Callable[[Chunk], None],
    look: Callable[[], str],
) -> tuple[str, float]:
    """Play until there is enough.

    Parameters
    ----------
    setting, lineups
        What to play.
    stopping
        How far to go.
    session
        With what.
    add
        Takes in a chunk; chunks come in order.
    look
        Called after each; gives a reason to stop, or an empty text.

    Returns
    -------
    reason
        Why it ended, a key of `stopping.REASONS`.
    seconds
        How long it took, compiling left out.
    """
    failed = threading.Event()
    clocks = [Clock(0)]
    player = BlockPlayer(setting, lambda: failed.is_set() or session.stop.is_set() or clocks[0].up)
    compile_engines(player, lineups, session.progress)
    clocks[0] = Clock(stopping.seconds)
    started, reason = time.perf_counter(), ""
    session.progress.begin(stopping.limit, 0, "blocks")
    try:
        found = play_chunks(player, lineups, stopping.limit, session.workers, failed, session.store)
        for chunk in found:
            add(chunk)
            session.progress.update(chunk.blocks.end)
            reason = look() or ("time-limit" if clocks[0].up else "")
            if reason:
                found.close()  # type: ignore[attr-defined]
                break
    except Interrupted:
        reason = "stopped" if session.stop.is_set() else "time-limit"
        if reason == "stopped":
            session.on_stopped()
    finally:
        session.progress.end()
    return reason or ("blocks" if stopping.fixed else "max-blocks"), time.perf_counter() - started
