"""What a game provides so that its rounds can be told to people, step by step, with the table drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domeng_sim.games.shared.glossary import Glossary

Rows = Mapping[str, Sequence[Any]]
"""Columns of the `events` table, those of one match from its beginning on; `event`, `end` and `direction` as labels."""


@dataclass(frozen=True)
class Look:
    """How tables are drawn.

    Attributes
    ----------
    ascii
        Whether to do without characters beyond ASCII.
    width
        Columns that there are.
    height
        Lines that there are for a picture; 0 for as many as it takes.
    """

    ascii: bool = False
    width: int = 80
    height: int = 0


@dataclass(frozen=True)
class Step:
    """Something that happened in a round.

    Attributes
    ----------
    at
        Key `step` of its row in the `events` table.
    event
        Label of the event.
    seat
        Who; -1 for nobody.
    text
        What happened, in a sentence.
    table
        The table after it, for `TellingSpec.picture` and `TellingSpec.standing`.
    """

    at: int
    event: str
    seat: int
    text: str
    table: Any


@dataclass(frozen=True)
class Story:
    """A round as it went, or as far as it went.

    Attributes
    ----------
    match, game, round
        Its keys.
    opening
        Lines before the first step: who starts and why, what everybody held, of which game it is.
    start
        The table before the first step, as a step without words.
    steps
        What happened, the deal left out.
    closing
        Lines after the last one: how the round ended and why, and what it changed; empty if it is not over.
    outcome
        Label of its outcome; empty if it is not over.
    winner
        Who won; -1 for nobody.
    """

    match: int
    game: int
    round: int
    opening: tuple[str, ...]
    start: Step
    steps: tuple[Step, ...]
    closing: tuple[str, ...]
    outcome: str = ""
    winner: int = -1

    @property
    def is_over(self) -> bool:
        """Whether the round came to its end."""
        return bool(self.closing)


@dataclass(frozen=True)
class Find:
    """Something worth looking at, and how rounds with it are found.

    Attributes
    ----------
    sentence
        What it is.
    column
        A column of the `rounds` table.
    values
        Its values in such rounds, as stored there (labels, or numbers).
    """

    sentence: str
    column: str
    values: tuple[str | int, ...]


@dataclass(frozen=True)
class TellingSpec:
    """How rounds of a game are told.

    Attributes
    ----------
    tell
        From the rows of a match (at least up to the beginning of the next round, or up to where it has come), the
        rules, game and round, names by seat (``seat 2 (banker)``, ``you``), and who looks: a set of seats whose hands
        are shown, or None for everybody's.  Of the others neither hands nor the tiles that they draw are told.  A
        ValueError where the match has no such round.
    picture
        Lines that show the chain, or the table as it lies, after a step.
    standing
        Lines with what each seat holds, has been given and has passed after a step; and the hands that are seen.
    finds
        What can be looked for, by name.
    lesson
        For given rules, how the game is played, in a few paragraphs for somebody who never read of it.
    glossary
        For given rules, what each word of the game means.
    """

    tell: Callable[[Rows, Mapping[str, int | str], tuple[int, int], Mapping[int, str], frozenset[int] | None], Story]
    picture: Callable[[Step, Look], list[str]]
    standing: Callable[[Step, Look], list[str]]
    finds: Mapping[str, Find]
    lesson: Callable[[Mapping[str, int | str]], tuple[str, ...]]
    glossary: Callable[[Mapping[str, int | str]], Glossary]
