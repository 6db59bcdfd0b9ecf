"""Positions of two-player games as people write them, and as rows of the `events` table tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domeng_sim.core.tiles import mask_tiles
from domeng_sim.games.shared.move_log import Grammar
from domeng_sim.games.shared.notation import parse_number, words_of
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.shared.position_texts import (
    HAND_FIELDS,
    SEAT_FIELD,
    asking_seat,
    read_written,
    rows_before,
    texts_of_view,
)
from domeng_sim.games.two_player.odds.move_log import N_HAND, N_SEATS, SEATS, rank
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView, situate
from domeng_sim.games.types import RuleValue

_LIES = "on a finite table also how a tile lies (s, l or r), as in 6|4rs"
_HOW = "seat:tile and the end, as in 1:6|4r, or seat:pass"


def _fields(log: str) -> dict[str, Field]:
    return {
        **HAND_FIELDS,
        "log": Field(log, "ENTRIES"),
        "seat": SEAT_FIELD,
        "scores": Field("Points of seats 0 and 1 in the game.  [default: 0,0]", "A,B"),
    }


FIELDS = _fields(
    "The round so far: '0:6|6 1:6|4r 0:d5|3 1:d*2 1:pass' - also draws, your own with the tile, others by number; "
    f"{_LIES}."
)
FIELDS_WITHOUT_DRAWS = _fields(f"The round so far: '0:6|6 1:6|4r 0:pass' - seat, tile, end joined (l or r); {_LIES}.")
"""What a position consists of, by the names of the options and of the lines of a file."""

GRAMMAR = Grammar(N_SEATS, f"{_HOW}, or a draw, as in 0:d5|3 and 1:d*2", draws=True, directions=True)
GRAMMAR_WITHOUT_DRAWS = Grammar(N_SEATS, _HOW, directions=True)


def read(texts: Mapping[str, str], rules: Mapping[str, RuleValue]) -> TwoPlayerView:
    """The position that somebody wrote; see `OddsSpec.read`."""
    fields, grammar = (FIELDS, GRAMMAR) if "draw" in rules else (FIELDS_WITHOUT_DRAWS, GRAMMAR_WITHOUT_DRAWS)
    entries, hands, seat = read_written(texts, fields, grammar, None)
    scores = [parse_number("scores", word, 65_535) for word in words_of(texts.get("scores", "0,0"))]
    return situate(entries, hands, scores, rules, seat)


def texts_of(here: TwoPlayerView) -> dict[str, str]:
    """The position as people write it; `read` gives it back."""
    texts = texts_of_view(here)
    if any(here.scores):
        texts["scores"] = ",".join(map(str, here.scores))
    return texts


def from_rows(
    rows: Mapping[str, Sequence[Any]],
    rules: Mapping[str, RuleValue],
    game: int,
    round_: int,
    step: int,
    seat: int | None = None,
    open_hands: bool = False,
) -> TwoPlayerView:
    """The position before a step of a round; see `OddsSpec.from_rows`."""
    found = rows_before(rows, game, round_, step, N_SEATS, N_HAND)
    scores = [0, 0]
    for row in found.earlier:
        if row["game"] == game and row["event"] == "award":
            scores[row["seat"]] += row["stones"]
    starter = max(SEATS, key=lambda s: max(map(rank, mask_tiles(found.dealt[s]))))
    entries = found.entries(N_SEATS, seat, open_hands)
    seat = asking_seat(entries, starter, seat, N_SEATS)
    hands = found.hands(SEATS if open_hands else (seat,))
    return situate(entries, hands, scores, rules, seat)
