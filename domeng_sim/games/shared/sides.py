"""Figures by seat or by strategy, and other small parts of which games make the chapters of their reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from domeng_sim.games.shared.measures import Cells, Figure, Layout, LeftOut, Panel
from domeng_sim.games.shared.outline import Plate
from domeng_sim.games.types import Count

Places = tuple[int, ...]


class Sides:
    """Seats, or strategies as all the seats that they play in: the columns of a panel.

    Parameters
    ----------
    groups
        Seats by label.
    key
        ``seat`` or ``strategy``.
    counts
        Blocks of counters of the game, among them those of the trials.
    """

    def __init__(self, groups: Mapping[str, Places], key: str, counts: Sequence[Count]) -> None:
        self.groups, self.key, self._counts = groups, key, counts

    def title(self, what: str) -> str:
        """Title of a panel whose columns these are."""
        return f"{what} by {self.key}" + (" (per seat)" if self.key == "strategy" else "")

    def row(
        self,
        key: str,
        label: str,
        numerator: Cells,
        trials: Cells,
        unit: str,
        *,
        own: bool = False,
        mean: bool = False,
    ) -> tuple[Figure, ...]:
        """Figures of one row.

        Parameters
        ----------
        key, label
            As in `Figure`; the key is completed by the side.
        numerator, trials
            Sums; the seats of a side are taken from the numerator.
        unit
            As in `Figure`.
        own
            Whether the trials are those of the side's seats; else a side of two seats has each trial twice.
        mean
            Whether it is an amount.
        """
        kind: Literal["share", "mean"] = "mean" if mean else "share"
        return tuple(
            Figure(
                f"{key}.{self.key}.{number if self.key == 'seat' else label_of}",
                label,
                at_seats(numerator, seats),
                at_seats(trials, seats) if own else times(trials, len(seats), self._counts),
                unit,
                kind,
                label_of,
            )
            for number, (label_of, seats) in enumerate(self.groups.items())
        )


def sides_of(strategies: Sequence[str], by_strategy: bool, counts: Sequence[Count]) -> list[Sides]:
    """The sides by which a report tells figures: seats, and strategies if there are several or they are asked for.

    Parameters
    ----------
    strategies
        Text of each seat's strategy.
    by_strategy
        Whether there are figures by strategy even if all seats have the same.
    counts
        Blocks of counters of the game.
    """
    groups: dict[str, Places] = {}
    for seat, text in enumerate(strategies):
        groups[text] = (*groups.get(text, ()), seat)
    seats = Sides({f"seat {seat}": (seat,) for seat in range(len(strategies))}, "seat", counts)
    return [seats, Sides(groups, "strategy", counts)] if by_strategy or len(groups) > 1 else [seats]


def at_seats(what: Cells, seats: Places) -> Cells:
    """The sum over some seats."""
    return Cells(what.count, (*what.at, ("seat", seats)), what.weighted)


def times(what: Cells, n: int, counts: Sequence[Count]) -> Cells:
    """The sum taken n times: on a block with the axis ``kind``, whose positions are named n times.

    Parameters
    ----------
    what
        The sum.
    n
        How many times.
    counts
        Blocks of counters of the game, that of the sum among them.
    """
    at = dict(what.at)
    kinds = at.pop("kind", None)
    if kinds is None:
        (block,) = (count for count in counts if count.name == what.count)
        kinds = tuple(range(dict(block.axes)["kind"]))
    return Cells(what.count, (*at.items(), ("kind", tuple(kinds) * n)), what.weighted)


def plate_of(
    key: str,
    title: str,
    figures: Sequence[Figure],
    note: str = "",
    layout: Layout = "table",
    left_out: LeftOut | None = None,
    **how: Any,
) -> Plate:
    """A plate of a new panel."""
    return Plate(Panel(key, title, tuple(figures), note, layout, left_out=left_out), **how)


def by_side(
    sides: Sequence[Sides],
    key: str,
    title: str,
    rows: Callable[[Sides], Sequence[Figure]],
    note: str = "",
    layout: Layout = "table",
    left_out: LeftOut | None = None,
    **how: Any,
) -> list[Plate]:
    """A plate for each of the sides: its key and title are completed by the side, and `rows` makes its figures."""
    return [
        plate_of(f"{key}_{side.key}", side.title(title), rows(side), note, layout, left_out, **how) for side in sides
    ]


def share(key: str, label: str, part: Cells, whole: Cells, unit: str, column: str = "") -> Figure:
    """A figure that is a share."""
    return Figure(key, label, part, whole, unit, "share", column)


def mean(key: str, label: str, amount: Cells, per: Cells, unit: str, column: str = "") -> Figure:
    """A figure that is an amount per trial."""
    return Figure(key, label, amount, per, unit, "mean", column)


def or_more(n: int, last: int) -> str:
    """Label of a counter whose last one holds all that is longer."""
    return f"{n}+" if n == last else str(n)
