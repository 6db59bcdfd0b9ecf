"""Every integer code of the project, once.

The core writes these numbers, the Arrow dictionaries take their labels from the member names in lower case, and the
documentation takes the sentences.  Values are only ever added, never changed: datasets outlive releases.
"""

from __future__ import annotations

from enum import IntEnum

NOBODY = -1
"""A seat column holds this where no seat is meant, a tile column where no tile is meant."""


class _Code(IntEnum):
    """An integer code with a sentence; the sentence becomes the documentation of the label."""

    sentence: str

    def __new__(cls, value: int, sentence: str) -> _Code:
        member = int.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    @property
    def label(self) -> str:
        """The label that stands for this code in tables and on the command line."""
        return self.name.lower()


def labels(code: type[_Code]) -> list[str]:
    """Labels of an enumeration in the order of its values, which run from 0 without gaps.

    Parameters
    ----------
    code
        One of the enumerations of this module.

    Returns
    -------
    list of str
        ``labels(Outcome)[Outcome.CEKI] == "ceki"``.
    """
    ordered = sorted(code)
    if [int(member) for member in ordered] != list(range(len(ordered))):
        raise ValueError(f"{code.__name__} has gaps in its values")
    return [member.label for member in ordered]


class Event(_Code):
    """What a row of the `events` table tells."""

    DEAL = 0, "a tile is dealt to a seat"
    LEAD = 1, "the starter plays the first tile of the round"
    PLAY = 2, "a tile is joined to an end"
    PASS = 3, "a player without a fitting tile passes"
    PASSEBUNGE = 4, "a PASS by a player who has played no tile yet in this round"
    AWARD = 5, "the closing award of the round"
    END = 6, "the round is over"
    CAMAT = 7, "FIRST CAPPU is appointed CAMAT and the game ends"
    DRAW = 8, "a tile is drawn from the stock"


class End(_Code):
    """An end of the chain."""

    LEFT = 0, "the left end; also written where both ends have the same value"
    RIGHT = 1, "the right end"


class Direction(_Code):
    """How a tile lies on a finite table, seen along the heading of its end."""

    STRAIGHT = 0, "the chain goes straight on"
    LEFT = 1, "the chain turns left"
    RIGHT = 2, "the chain turns right"


class Outcome(_Code):
    """How a round of Domeng ended."""

    CAPPU = 0, "a player played the last tile of the hand, and it was no MAPPAKULING"
    CEKI = 1, "the last tile was a MAPPAKULING and not a double"
    POLLO = 2, "the last tile was a MAPPAKULING and a double"
    MANGUNO = 3, "nobody could play and nobody had as few pips as LAST MAPPANO, who wins"
    MATTIKKENG = 4, "nobody could play and another player had as few pips as LAST MAPPANO or fewer"


class DrawOutcome(_Code):
    """How a round of a two-player game ended."""

    OUT = 0, "a player played the last tile of the hand"
    BLOCKED = 1, "neither player could play or draw; fewer pips win"
    TIED = 2, "neither player could play or draw, and both hold the same pips"


class DrawEnded(_Code):
    """How a two-player game ended."""

    FINISHED = 0, "a score reached `target`"
    TRUNCATED = 1, "no score reached `target` in `max_rounds` rounds"
    UNFINISHED = 2, "the match ended (`rounds_per_match`) while the game was under way"


class Ended(_Code):
    """How a game of Domeng ended."""

    CAMAT = 0, "a CAMAT was appointed"
    TRUNCATED = 1, "no CAMAT after `max_rounds` rounds"
    UNFINISHED = 2, "the match ended (`rounds_per_match`) while the game was under way"


class Cause(_Code):
    """Why stones moved."""

    PASS = 0, "a PASS"
    PASSEBUNGE = 1, "a PASSEBUNGE"
    CAPPU = 2, "the round ended with a plain CAPPU: to CUCUQ"
    CEKI = 3, "the round ended with a CEKI: to CUCUQ"
    POLLO = 4, "the round ended with a POLLO: to CUCUQ"
    MANGUNO = 5, "the MANGUNO won: to CUCUQ"
    MATTIKKENG = 6, "exactly one MATTIKKENG with strictly fewer pips: to the MANGUNO"
    MATTIKKENG_SHARED = 7, "several MATTIKKENG, or one with equal pips: to the MANGUNO"


class Purpose(_Code):
    """What a block of random numbers is for; part of its counter, so that no two uses share a block."""

    DEAL = 0, "the deal of a round of Domeng"
    CHOICE = 1, "the random choices of the strategies in a round"
    HIDDEN = 2, "hidden tiles drawn for the odds of a position"
    PLAYOUT = 3, "the random choices in the playouts of a position"
    DRAW_DEAL = 4, "the deal of a round of two players"
