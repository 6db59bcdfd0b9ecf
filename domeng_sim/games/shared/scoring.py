"""What a game says about who did better: how games are won, and what else is measured for each seat.

Data only.  `studies` plays the same deals in several seatings and adds up these counters by strategy.
"""

from __future__ import annotations

from dataclasses import dataclass

from domeng_sim.games.shared.measures import Cells


@dataclass(frozen=True)
class SeatMeasure:
    """An amount that each seat has, as a ratio to a total of the table.

    Attributes
    ----------
    key
        Name in JSON and column of the `blocks` table.
    label
        A few words.
    amounts
        For each seat the counters whose sum is the amount.
    per
        Name of the total (`Scoring.totals`) by which the amount is divided.
    unit
        What one unit of the ratio is: ``stones per round``.
    kind
        ``share`` where it is printed in percent, else ``mean``.
    """

    key: str
    label: str
    amounts: tuple[Cells, ...]
    per: str
    unit: str
    kind: str = "mean"


@dataclass(frozen=True)
class Scoring:
    """How strategies are compared in a game.

    Attributes
    ----------
    share
        What the primary measure is called: ``CAMAT share``.
    won
        For each seat the counters of the games it won; every finished game has exactly one winner.
    totals
        Sums over the table by name, in this order: ``finished`` (games that somebody won), ``ended`` (games that are
        over, with a winner or without) and ``rounds``.
    measures
        What else is compared, in reading order.
    sensitivity
        Keys of the game's figures (`figures.Sheet`) that are compared between two readings of the rules.
    """

    share: str
    won: tuple[Cells, ...]
    totals: tuple[tuple[str, Cells], ...]
    measures: tuple[SeatMeasure, ...]
    sensitivity: tuple[str, ...]
