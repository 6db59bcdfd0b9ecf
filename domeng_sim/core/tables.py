"""Every column of the result tables: name, type, code, unit and meaning.

The core fills plain arrays whose layout follows from here, the dataset takes its Arrow schema from here, and the
documentation its list of columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from domeng_sim.core import codes

LEVELS = ("summary", "games", "rounds", "events")
"""Table levels; a run writes all tables up to its level."""

WIDTHS = {"int64": 64, "int32": 32, "int16": 16, "int8": 8}
"""Column types and the width in bits of the array that the core fills for them.

All are signed: of unsigned bytes, `stones_0 - stones_1` would be 254 in a data frame, without a word.
"""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    name
        Name in the Parquet file.
    dtype
        ``int64``, ``int32``, ``int16`` or ``int8``; the index type where `code` is given. Wide
        enough that any two values of the column can be added or subtracted; Polars sums up a column of ``int32`` in 32
        bits, so what grows beyond ``int16`` is ``int64``.
    meaning
        A sentence for the schema's field metadata.
    unit
        What one counts: ``stones``, ``pips``, ``rounds``, ``seat``, ...
    code
        Enumeration whose labels stand in the column (an Arrow dictionary); None for numbers.
    nullable
        Whether -1 is written as null.
    optional
        Name of the option that asks for this column; None for columns that are always there.
    """

    name: str
    dtype: str
    meaning: str
    unit: str = ""
    code: type[codes._Code] | None = None
    nullable: bool = False
    optional: str | None = None

    @property
    def width(self) -> int:
        """Width in bits of the array that the core fills."""
        return WIDTHS[self.dtype]


@dataclass(frozen=True)
class Table:
    """A result table: its name and its columns in order."""

    name: str
    columns: tuple[Column, ...]

    @cached_property
    def _slots(self) -> dict[str, int]:
        used = dict.fromkeys(WIDTHS.values(), 0)
        slots = {}
        for column in self.columns:
            slots[column.name] = used[column.width]
            used[column.width] += 1
        return slots

    @cached_property
    def _n_slots(self) -> Counter[int]:
        return Counter(column.width for column in self.columns)

    def slot(self, name: str) -> int:
        """Row of the column in the array of its width.

        Raises
        ------
        KeyError
            If the table has no such column.
        """
        return self._slots[name]

    def n_slots(self, width: int) -> int:
        """Number of columns of a width."""
        return self._n_slots[width]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def by_seat(column: Column, seats: int) -> tuple[Column, ...]:
    """The column for each seat: ``pips`` becomes ``pips_0``, ``pips_1``, ..."""
    return tuple(
        replace(column, name=f"{column.name}_{seat}", meaning=column.meaning.replace("this seat", f"seat {seat}"))
        for seat in range(seats)
    )


MATCH = Column("match", "int64", "match in the whole run, from 0", "index")
GAME = Column("game", "int32", "game in the match, from 0", "index")
ROUND = Column("round", "int32", "round in the game, from 0", "index")
STEP = Column("step", "int32", "step in the round, from 0", "index")
KEY_NAMES = ("match", "game", "round", "step")


def _outcome_rounds(outcome: codes.Outcome) -> Column:
    return Column(outcome.label, "int64", f"rounds of the game with this outcome: {outcome.sentence}", "rounds")


DOMENG_GAMES = Table(
    "games",
    (
        MATCH,
        GAME,
        Column("rounds", "int64", "rounds of the game", "rounds"),
        Column("incumbent", "int8", "CAMAT at the start of the game; -1 nobody", "seat"),
        Column("camat", "int8", "CAMAT appointed at the end of the game; -1 nobody (see `ended`)", "seat"),
        *by_seat(
            Column("stones", "int16", "stones of this seat at the end of the game, before they return", "stones"), 5
        ),
        _outcome_rounds(codes.Outcome.CEKI),
        _outcome_rounds(codes.Outcome.POLLO),
        _outcome_rounds(codes.Outcome.MANGUNO),
        _outcome_rounds(codes.Outcome.MATTIKKENG),
        Column("ended", "int8", "how the game ended", code=codes.Ended),
    ),
)

DOMENG_ROUNDS = Table(
    "rounds",
    (
        MATCH,
        GAME,
        ROUND,
        Column("starter", "int8", "who led the round", "seat"),
        Column("outcome", "int8", "how the round ended", code=codes.Outcome),
        Column("winner", "int8", "who won the round", "seat"),
        Column("last_mappano", "int8", "who played the last tile", "seat"),
        Column("cucuq", "int8", "CUCUQ, who receives the closing award; -1 where none is due to a CUCUQ", "seat"),
        Column("mattikkeng_seats", "int16", "bit mask by seat of the MATTIKKENG", "mask"),
        Column("plays", "int16", "tiles played, the lead included", "tiles"),
        *by_seat(Column("passes", "int16", "PASSes of this seat, PASSEBUNGE and closing ones included", "passes"), 5),
        *by_seat(Column("passebunge", "int16", "PASSEBUNGE of this seat", "passes"), 5),
        *by_seat(Column("pips", "int16", "unplayed pips of this seat at the end", "pips"), 5),
        *by_seat(
            Column("stones", "int16", "stones of this seat after all awards, before a new game returns them", "stones"),
            5,
        ),
        Column(
            "table_stones", "int16", "stones on the table after all awards, before a new game returns them", "stones"
        ),
        Column("camat", "int8", "CAMAT appointed by this round; -1 nobody", "seat"),
        *by_seat(Column("hand", "int32", "hand of this seat as dealt, bit t for tile t", "mask", optional="hands"), 5),
    ),
)

DOMENG_EVENTS = Table(
    "events",
    (
        MATCH,
        GAME,
        ROUND,
        STEP,
        Column("event", "int8", "what happened", code=codes.Event),
        Column("seat", "int8", "who did it, receives it, or won", "seat"),
        Column("tile", "int8", "tile dealt or played; -1 none", "tile"),
        Column("side", "int8", "end joined; null where none is", code=codes.End, nullable=True),
        Column("left_end", "int8", "value of the left end after the event; -1 before the first tile", "value"),
        Column("right_end", "int8", "value of the right end after the event; -1 before the first tile", "value"),
        Column("stones", "int16", "stones awarded to `seat` that really moved", "stones"),
        Column("from_table", "int16", "of these, taken from the table", "stones"),
        *by_seat(Column("given", "int16", "of these, given by this seat", "stones"), 5),
    ),
)

DRAW_GAMES = Table(
    "games",
    (
        MATCH,
        GAME,
        Column("rounds", "int64", "rounds of the game", "rounds"),
        Column("winner", "int8", "whose score reached `target`; -1 nobody (see `ended`)", "seat"),
        *by_seat(Column("score", "int16", "score of this seat at the end of the game", "points"), 2),
        Column("ended", "int8", "how the game ended", code=codes.DrawEnded),
    ),
)

DRAW_ROUNDS = Table(
    "rounds",
    (
        MATCH,
        GAME,
        ROUND,
        Column("starter", "int8", "who led the round", "seat"),
        Column("outcome", "int8", "how the round ended", code=codes.DrawOutcome),
        Column("winner", "int8", "who won the round; -1 nobody", "seat"),
        Column("plays", "int16", "tiles played, the lead included", "tiles"),
        *by_seat(Column("draws", "int16", "tiles drawn from the stock by this seat", "tiles"), 2),
        *by_seat(Column("passes", "int16", "PASSes of this seat", "passes"), 2),
        *by_seat(Column("pips", "int16", "unplayed pips of this seat at the end", "pips"), 2),
        *by_seat(Column("score", "int16", "score of this seat after the round, before a new game begins", "points"), 2),
        Column("stock", "int16", "tiles left in the stock", "tiles"),
        *by_seat(Column("hand", "int32", "hand of this seat as dealt, bit t for tile t", "mask", optional="hands"), 2),
    ),
)

DRAW_EVENTS = Table(
    "events",
    (
        MATCH,
        GAME,
        ROUND,
        STEP,
        Column("event", "int8", "what happened", code=codes.Event),
        Column("seat", "int8", "who did it, scores, or won; -1 nobody", "seat"),
        Column("tile", "int8", "tile dealt, drawn or played; -1 none", "tile"),
        Column("side", "int8", "end joined; null where none is", code=codes.End, nullable=True),
        Column(
            "direction",
            "int8",
            "how the tile lies; null on a table without bounds",
            code=codes.Direction,
            nullable=True,
        ),
        Column("left_end", "int8", "value of the left end after the event; -1 before the first tile", "value"),
        Column("right_end", "int8", "value of the right end after the event; -1 before the first tile", "value"),
        Column("stones", "int16", "points scored by `seat`", "points"),
        Column("from_table", "int16", "always 0: nothing is taken from the table", "stones"),
    ),
)
