"""Positions out of a dataset: from its `events` table, or, where that is not stored, by playing the match again."""

from __future__ import annotations

from typing import Any

from domeng_sim.errors import BadField, BadInput
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import PositionError, RuleValue
from domeng_sim.positions.odds import odds_of
from domeng_sim.positions.replay import Source


def position_of_run(
    source: Source,
    match: int,
    game: int,
    round_: int,
    step: int,
    seat_asking: int | None = None,
    open_hands: bool = False,
    replay: bool = False,
) -> tuple[GameSpec, dict[str, RuleValue], Any]:
    """The position before a step of a round that a run played.

    Parameters
    ----------
    source
        The run, from `replay.open_run`.
    match, game, round_, step
        The keys of a row of the `events` table.
    seat_asking
        Who asks; None for whose turn it is.
    open_hands
        Whether all hands are known.
    replay
        Play the match once more even where the table was stored.

    Returns
    -------
    spec
        The game.
    rules
        Those of the run.
    position
        As `spec.odds.read` gives it.

    Raises
    ------
    BadInput
        If the run has no such step, or nothing is played there.
    Damaged
        If a file cannot be read.
    """
    if seat_asking is not None and seat_asking >= source.spec.seats:
        raise BadField("seat", seat_asking, f"a seat from 0 to {source.spec.seats - 1}")
    rows, rules = source.rows(match, (game, round_), replay), dict(source.rules)
    try:
        return (
            source.spec,
            rules,
            odds_of(source.spec).from_rows(rows, rules, game, round_, step, seat_asking, open_hands),
        )
    except PositionError as error:
        raise BadInput(f"{source.name}, match {match}: ", *error.parts) from error
