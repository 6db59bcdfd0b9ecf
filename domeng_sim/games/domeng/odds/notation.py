"""Positions of Domeng as people write them, and as rows of the `events` table tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import N_VALUES, tile_number
from domeng_sim.errors import FieldRef
from domeng_sim.games.domeng.odds.move_log import N_HAND, N_SEATS, SEATS
from domeng_sim.games.domeng.odds.player_view import DomengView, situate
from domeng_sim.games.shared.move_log import PASS, Grammar
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
from domeng_sim.games.types import PositionError, RuleValue

FIELDS = {
    **HAND_FIELDS,
    "log": Field("The round so far: '0:6|6 1:6|4r 2:pass' - seat, tile, end joined (l or r).", "ENTRIES"),
    "stones": Field("Stones of seats 0 to 4 now.  [default: those of the PASSes in the log]", "A,B,C,D,E"),
    "table": Field("Stones on the table.  [default: what is left]", "N"),
    "seat": SEAT_FIELD,
    "camat": Field("The CAMAT of the match, who starts every round.", "SEAT"),
    "first-round": Field("The first round of a match: started by the holder of the highest double."),
}
"""What a position consists of, by the names of the options and of the lines of a file."""

GRAMMAR = Grammar(N_SEATS, "seat:tile and the end, as in 1:6|4r, or seat:pass", ("p", "pass", "passebunge"), free=True)
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def read(texts: Mapping[str, str], rules: Mapping[str, RuleValue]) -> DomengView:
    """The position that somebody wrote; see `OddsSpec.read`."""
    camat = NOBODY
    if texts.get("camat", "none") not in ("none", "-1"):
        camat = parse_number("camat", texts["camat"], N_SEATS - 1)
    first = texts.get("first-round", "no").strip().lower()
    if first not in _YES:
        raise PositionError(f"first-round is yes or no, not {first!r}")
    leader = None if camat < 0 or _YES[first] else camat
    entries, hands, seat = read_written(texts, FIELDS, GRAMMAR, leader, ", or ", FieldRef("camat"))
    stones = None
    if "stones" in texts:
        stones = [parse_number("stones", word, 255) for word in words_of(texts["stones"])]
    table = parse_number("table", texts["table"], 255) if "table" in texts else None
    return situate(entries, hands, stones, table, rules, seat, camat, _YES[first])


def texts_of(here: DomengView) -> dict[str, str]:
    """The position as people write it; `read` gives it back."""
    texts = texts_of_view(here)
    texts["stones"] = ",".join(map(str, here.stones))
    if here.camat >= 0:
        texts["camat"] = str(here.camat)
    if here.first_round:
        texts["first-round"] = "yes"
    return texts


def from_rows(
    rows: Mapping[str, Sequence[Any]],
    rules: Mapping[str, RuleValue],
    game: int,
    round_: int,
    step: int,
    seat: int | None = None,
    open_hands: bool = False,
) -> DomengView:
    """The position before a step of a round; see `OddsSpec.from_rows`."""
    found = rows_before(rows, game, round_, step, N_SEATS, N_HAND)
    stones, camat, winner = [0] * N_SEATS, NOBODY, NOBODY
    for row in (*found.earlier, *found.acts):
        if row["game"] == game and row["stones"]:
            stones[row["seat"]] += row["stones"]
            for giver in SEATS:
                stones[giver] -= row[f"given_{giver}"]
        if row["event"] == "camat":
            camat = row["seat"]
        elif row["event"] == "end":
            winner = row["seat"]
    first_round = (game, round_) == (0, 0)
    starter = _starter(found.dealt, first_round, camat, winner)
    entries = found.entries(N_SEATS, seat, open_hands)
    if rules["closing_passes"] == "free":
        got_none = [not row["stones"] for row in found.acts]
        entries = [
            replace(entry, is_free=none and entry.kind == PASS) for entry, none in zip(entries, got_none, strict=True)
        ]
    seat = asking_seat(entries, starter, seat, N_SEATS)
    hands = found.hands(SEATS if open_hands else (seat,))
    return situate(entries, hands, stones, int(rules["stones"]) - sum(stones), rules, seat, camat, first_round)


def _starter(dealt: Sequence[int], first_round: bool, camat: int, winner: int) -> int:
    """Who starts a round: the holder of the highest double, the CAMAT, or who won the round before."""
    if not first_round:
        return camat if camat >= 0 else winner
    doubles = [tile_number(value, value) for value in range(N_VALUES)]
    return max(SEATS, key=lambda seat: max(tile for tile in (-1, *doubles) if tile < 0 or dealt[seat] >> tile & 1))
