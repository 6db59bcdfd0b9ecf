"""Panels and plates that every game with rounds, seats and games of some length has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from domeng_sim.games.shared.length_bins import LENGTH_STARTS, N_LENGTH_BINS, SINGLE_LENGTHS, length_groups
from domeng_sim.games.shared.measures import Cells, Figure, LeftOut, Panel, Quantile, cells
from domeng_sim.games.shared.outline import Plate
from domeng_sim.games.shared.sides import plate_of, share

ROUNDS = cells("round_ends")
ALL_GAMES = cells("games")

_PERCENT = (1, 5, 25, 50, 75, 95, 99)
_TAIL = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192)


def by_seat(
    n_seats: int, key: str, label: str, numerator: Cells, denominator: Cells, unit: str, *, own: bool = False
) -> Iterator[Figure]:
    """A row of figures with a column for each seat.

    Parameters
    ----------
    n_seats
        Seats of the game.
    key
        Completed by the seat.
    label, numerator, denominator, unit
        As in `Figure`; a figure whose unit begins with ``share`` is a share.
    own
        Whether the seat chooses the trials too.
    """
    kind: Literal["share", "mean"] = "share" if unit.startswith("share") else "mean"
    for seat in range(n_seats):
        trials = denominator.where("seat", seat) if own else denominator
        yield Figure(f"{key}.{seat}", label, numerator.where("seat", seat), trials, unit, kind, f"seat {seat}")


def outcome_panel(kinds: Iterable[tuple[int, str, str]]) -> Panel:
    """How a round ends.

    Parameters
    ----------
    kinds
        Position, name in keys and label of each outcome.
    """
    return Panel(
        "outcome",
        "How a round ends",
        tuple(
            share(f"outcome.{name}", label, cells("round_ends", kind=kind), ROUNDS, "share of rounds")
            for kind, name, label in kinds
        ),
        layout="bars",
        brief=True,
    )


def quantile_panel(title: str, left_out: LeftOut) -> Panel:
    """Quantiles of how long games last."""
    return Panel(
        "game_quantiles",
        title,
        tuple(
            Quantile(
                f"game.rounds.q{percent:02}",
                "rounds",
                cells("game_length"),
                percent / 100,
                LENGTH_STARTS,
                "rounds",
                f"{percent} %",
            )
            for percent in _PERCENT
        ),
        brief=True,
        left_out=left_out,
    )


def length_panel(title: str, key: str, whole: Cells, unit: str, left_out: LeftOut) -> Panel:
    """How long games last, as a distribution.

    Parameters
    ----------
    title
        A few words.
    key
        Completed by the length.
    whole
        The games that are counted.
    unit
        Share of which games it is.
    left_out
        Games that are missing.
    """
    return Panel(
        "game_length",
        title,
        tuple(
            share(f"{key}.{label}", label, cells("game_length", bin=bins), whole, unit)
            for label, bins in length_groups()
        ),
        f"From {SINGLE_LENGTHS} rounds on a row stands for several lengths.",
        layout="histogram",
        left_out=left_out,
    )


def tail_plate(title: str, whole: Cells, unit: str, axis: str, left_out: LeftOut) -> Plate:
    """How many games last so long or longer; parameters as of `length_panel`, and what the axis tells."""
    tail = [
        share(
            f"game_tail.{n}",
            str(n),
            cells("game_length", bin=range(LENGTH_STARTS.index(n), N_LENGTH_BINS)),
            whole,
            unit,
        )
        for n in _TAIL
    ]
    return plate_of("game_tail", title, tail, "", "histogram", left_out=left_out, picture="tail", axis=axis)
