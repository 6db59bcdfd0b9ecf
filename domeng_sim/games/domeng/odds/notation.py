"""Positions as people write them, and as rows of the `events` table tell them.

docs/odds.md explains the notation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import N_VALUES, hand_text, mask_tiles, tile_number
from domeng_sim.errors import FieldRef
from domeng_sim.games.domeng.odds.move_log import N_HAND, N_SEATS, SEATS, Entry
from domeng_sim.games.domeng.odds.player_view import Situation, situate
from domeng_sim.games.shared.notation import TILE, parse_hand, parse_hands, parse_number, words_of
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.types import PositionError, RuleValue

FIELDS = {
    "hand": Field("Your tiles now, such as '6|5 5|5 3|1 2|1'; 65,55,31,21 is the same.", "TILES"),
    "hands": Field("The hands of all seats, separated by ; with ? for a hidden one.", "HANDS"),
    "log": Field("The round so far: '0:6|6 1:6|4r 2:pass' - seat, tile, end joined (l or r).", "ENTRIES"),
    "stones": Field("Stones of seats 0 to 4 now.  [default: those of the PASSes in the log]", "A,B,C,D,E"),
    "table": Field("Stones on the table.  [default: what is left]", "N"),
    "seat": Field("Who asks.  [default: whose turn it is]", "SEAT"),
    "camat": Field("The CAMAT of the match, who starts every round.", "SEAT"),
    "first-round": Field("The first round of a match: started by the holder of the highest double."),
}
"""What a position consists of, by the names of the options and of the lines of a file."""

_ENTRY = re.compile(
    rf"(?:(?P<seat>\d+):)?(?:(?P<pass>p|pass|passebunge)|{TILE}(?P<end>l|r|left|right)?)", re.IGNORECASE
)
_CLOSING = ("award", "end", "camat")
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def parse_log(text: str) -> list[Entry]:
    """Entries of a log.

    Raises
    ------
    PositionError
        If a word is no entry.

    Examples
    --------
    >>> [entry.text(7) for entry in parse_log("0:6|6 1:6|4r pass")]
    ['7:6|6', '7:6|4r', '7:pass']
    """
    entries = []
    for number, word in enumerate(words_of(text), 1):
        match = _ENTRY.fullmatch(word)
        if match is None:
            raise PositionError(
                f"log entry {number} ({word}) is none; write seat:tile and the end, as in 1:6|4r, or seat:pass"
            )
        seat = None if match["seat"] is None else int(match["seat"])
        if seat is not None and seat >= N_SEATS:
            raise PositionError(f"log entry {number} ({word}): the seats are 0 to {N_SEATS - 1}")
        if match["pass"]:
            entries.append(Entry(seat, None))
        else:
            entries.append(Entry(seat, tile_number(int(match[3]), int(match[4])), (match["end"] or "")[:1].lower()))
    return entries


def read(texts: Mapping[str, str], rules: Mapping[str, RuleValue]) -> Situation:
    """The position that somebody wrote.

    Parameters
    ----------
    texts
        By the names in `FIELDS`; what is not given may be missing.
    rules
        A value for every rule.

    Raises
    ------
    PositionError
        If it is no position of a round; the message says why.
    """
    for name in texts:
        if name not in FIELDS:
            raise PositionError(f"a position has no {name!r}; it has {', '.join(FIELDS)}")
    entries = parse_log(texts.get("log", ""))
    seat = parse_number("seat", texts["seat"], N_SEATS - 1) if "seat" in texts else None
    camat = (
        parse_number("camat", texts["camat"], N_SEATS - 1)
        if texts.get("camat", "none") not in ("none", "-1")
        else NOBODY
    )
    first = texts.get("first-round", "no").strip().lower()
    if first not in _YES:
        raise PositionError(f"first-round is yes or no, not {first!r}")
    if entries and entries[0].seat is None:
        raise PositionError(f"the first log entry names its seat, as in 0:{entries[0].text(0)[2:]}")
    hands = parse_hands(texts["hands"], N_SEATS) if "hands" in texts else {}
    if "hand" in texts:
        owner = _owner(entries, seat, camat if not _YES[first] else NOBODY)
        own = parse_hand(texts["hand"])
        if hands.setdefault(owner, own) != own:
            raise PositionError(FieldRef("hand"), " and ", FieldRef("hands"), f" give seat {owner} different tiles")
    stones = None
    if "stones" in texts:
        stones = [parse_number("stones", word, 255) for word in words_of(texts["stones"])]
    table = parse_number("table", texts["table"], 255) if "table" in texts else None
    return situate(entries, hands, stones, table, rules, seat, camat, _YES[first])


def _owner(entries: Sequence[Entry], seat: int | None, camat: int) -> int:
    """Whose hand `hand` is: that of the player who asks."""
    if seat is not None:
        return seat
    if entries:
        assert entries[0].seat is not None
        return (entries[0].seat + len(entries)) % N_SEATS
    if camat >= 0:
        return camat
    seat_or_more = FieldRef("seat"), ", or ", FieldRef("camat"), ", or a ", FieldRef("log")
    raise PositionError("whose hand is it? Give the seat: ", *seat_or_more)


def texts_of(here: Situation) -> dict[str, str]:
    """The position as people write it; `read` gives it back."""
    texts = {"seat": str(here.seat)}
    own = here.hands[here.seat] or 0
    if any(hand is not None for seat, hand in enumerate(here.hands) if seat != here.seat):
        texts["hands"] = ";".join("?" if hand is None else hand_text(mask_tiles(hand)) for hand in here.hands)
    else:
        texts["hand"] = hand_text(mask_tiles(own))
    if here.acts:
        texts["log"] = " ".join(
            Entry(act.seat, act.tile if act.tile >= 0 else None, act.end).text(act.seat) for act in here.acts
        )
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
) -> Situation:
    """The position before a step of a round.

    Parameters
    ----------
    rows
        Columns of the `events` table: all rows of a match up to that step, which may itself be missing; `event` and
        `end` as labels.
    rules
        A value for every rule.
    game, round_, step
        Which step.
    seat
        Who asks; None for whose turn it is.
    open_hands
        Whether all hands are known.

    Raises
    ------
    PositionError
        If there is no such step, or nothing is played there.
    """
    stones, table, camat = [0] * N_SEATS, int(rules["stones"]), NOBODY
    dealt: list[int] = [0] * N_SEATS
    entries: list[Entry] = []
    names = ["game", "round", "step", "event", "seat", "tile", "side", "from_table", *(f"given_{s}" for s in SEATS)]
    columns = [rows[name] for name in names]
    found, current, winner, last_step, last_event = False, 0, NOBODY, -1, ""
    for row in zip(*columns, strict=True):
        at_game, at_round, at_step, event, who, tile, end, from_table, *given = row
        if at_game != current:
            current, stones, table = at_game, [0] * N_SEATS, int(rules["stones"])
        if (at_game, at_round) == (game, round_):
            if at_step == max(step, N_SEATS * N_HAND):
                found = True
                break
            last_step, last_event = at_step, event
            if event == "deal":
                dealt[who] |= 1 << tile
            elif event in ("lead", "play"):
                entries.append(Entry(who, tile, (end or "")[:1]))
            elif event in ("pass", "passebunge"):
                entries.append(Entry(who, None))
        elif (at_game, at_round) > (game, round_):
            break
        if event == "camat":
            camat = who
        elif event == "end":
            winner = who
        stones[who] += from_table + sum(given)
        table -= from_table
        for giver, n in enumerate(given):
            stones[giver] -= n
    over = (event if found else last_event) in _CLOSING
    # Rows that stop right before the step are as good: it is about to be done.
    if not found and (over or last_step < 0 or last_step + 1 != max(step, N_SEATS * N_HAND)):
        what = f"round {round_} of game {game}" if not any(dealt) else f"step {step} in round {round_} of game {game}"
        raise PositionError(f"the match has no {what}")
    if over:
        raise PositionError(f"step {step} is `{event}`: the round was over, there is nothing left to play")
    first_round = (game, round_) == (0, 0)
    starter = _starter(dealt, first_round, camat, winner)
    for entry in entries:
        if entry.tile is not None:
            assert entry.seat is not None
            dealt[entry.seat] &= ~(1 << entry.tile)
    seat = (starter + len(entries)) % N_SEATS if seat is None else seat
    hands = dict(enumerate(dealt)) if open_hands else {seat: dealt[seat]}
    if not entries and seat != starter:
        raise PositionError(f"before the lead it is the turn of seat {starter}; ask for that seat")
    return situate(entries, hands, stones, table, rules, seat, camat, first_round)


def _starter(dealt: Sequence[int], first_round: bool, camat: int, winner: int) -> int:
    """Who starts a round: the holder of the highest double, the CAMAT, or who won the round before."""
    if not first_round:
        return camat if camat >= 0 else winner
    doubles = [tile_number(value, value) for value in range(N_VALUES)]
    return max(SEATS, key=lambda seat: max(tile for tile in (-1, *doubles) if tile < 0 or dealt[seat] >> tile & 1))
