"""Positions of Draw as people write them, and as rows of the `events` table tell them.

docs/odds.md explains the notation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from domeng_sim.core.tiles import hand_text, mask_tiles, tile_number
from domeng_sim.errors import FieldRef
from domeng_sim.games.draw.odds.move_log import DRAW, N_HAND, N_SEATS, PASS, PLAY, SEATS, Entry, rank
from domeng_sim.games.draw.odds.player_view import Situation, situate
from domeng_sim.games.shared.notation import parse_hand, parse_hands, parse_number, words_of
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.types import PositionError, RuleValue

FIELDS = {
    "hand": Field("Your tiles now, such as '6|5 5|5 3|1 2|1'; 65,55,31,21 is the same.", "TILES"),
    "hands": Field("The hands of all seats, separated by ; with ? for a hidden one.", "HANDS"),
    "log": Field(
        "The round so far: '0:6|6 1:6|4r 0:d5|3 1:d*2 1:pass' - also draws, your own with the tile, others by number; "
        "on a finite table also how a tile lies (s, l or r), as in 6|4rs.",
        "ENTRIES",
    ),
    "seat": Field("Who asks.  [default: whose turn it is]", "SEAT"),
    "scores": Field("Points of seats 0 and 1 in the game.  [default: 0,0]", "A,B"),
}
"""What a position consists of, by the names of the options and of the lines of a file."""

_ENTRY = re.compile(
    r"(?:(?P<seat>\d+):)?(?:(?P<pass>p|pass)|(?P<draw>d|draw)=?(?:\[?(?P<hi>[0-6])[|/-]?(?P<lo>[0-6])\]?|\*(?P<n>\d+))?"
    r"|\[?(?P<a>[0-6])[|/-]?(?P<b>[0-6])\]?(?P<end>l|r|left|right)?-?(?P<direction>s|l|r|straight|left|right)?)",
    re.IGNORECASE,
)


def parse_log(text: str) -> list[Entry]:
    """Entries of a log.

    Raises
    ------
    PositionError
        If a word is no entry.

    Examples
    --------
    >>> [entry.text(7) for entry in parse_log("0:6|6 1:6|4r d*2 d5|3 pass 6|2ls")]
    ['7:6|6', '7:6|4r', '7:d*2', '7:d5|3', '7:pass', '7:6|2ls']
    """
    entries = []
    for number, word in enumerate(words_of(text), 1):
        match = _ENTRY.fullmatch(word)
        if match is None:
            raise PositionError(
                f"log entry {number} ({word}) is none; write seat:tile and the end, as in 1:6|4r, or seat:pass, or a "
                "draw, as in 0:d5|3 and 1:d*2"
            )
        seat = None if match["seat"] is None else int(match["seat"])
        if seat is not None and seat >= N_SEATS:
            raise PositionError(f"log entry {number} ({word}): the seats are 0 to {N_SEATS - 1}")
        if match["pass"]:
            entries.append(Entry(seat, PASS))
        elif match["draw"]:
            tile = None if match["hi"] is None else tile_number(int(match["hi"]), int(match["lo"]))
            entries.append(Entry(seat, DRAW, tile, count=int(match["n"] or 1)))
        else:
            end, direction = ((match[name] or "")[:1].lower() for name in ("end", "direction"))
            tile = tile_number(int(match["a"]), int(match["b"]))
            entries.append(Entry(seat, PLAY, tile, end, direction))
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
    if entries and entries[0].seat is None:
        raise PositionError(f"the first log entry names its seat, as in 0:{entries[0].text(0)[2:]}")
    seat = parse_number("seat", texts["seat"], N_SEATS - 1) if "seat" in texts else None
    hands = parse_hands(texts["hands"], N_SEATS) if "hands" in texts else {}
    if "hand" in texts:
        owner = _turn(entries) if seat is None else seat
        if owner is None:
            raise PositionError("whose hand is it? Give the seat: ", FieldRef("seat"), ", or a ", FieldRef("log"))
        own = parse_hand(texts["hand"])
        if hands.setdefault(owner, own) != own:
            raise PositionError(FieldRef("hand"), " and ", FieldRef("hands"), f" give seat {owner} different tiles")
    scores = [parse_number("scores", word, 65_535) for word in words_of(texts.get("scores", "0,0"))]
    return situate(entries, hands, scores, rules, seat)


def _turn(entries: Sequence[Entry]) -> int | None:
    """Whose turn it is after the log, if it is one."""
    turn = None
    for entry in entries:
        turn = turn if entry.seat is None else entry.seat
        if turn is not None and entry.kind != DRAW:
            turn = 1 - turn
    return turn


def texts_of(here: Situation) -> dict[str, str]:
    """The position as people write it; `read` gives it back."""
    texts = {"seat": str(here.seat)}
    if here.hands[1 - here.seat] is not None:
        texts["hands"] = ";".join("?" if hand is None else hand_text(mask_tiles(hand)) for hand in here.hands)
    else:
        texts["hand"] = hand_text(mask_tiles(here.hands[here.seat] or 0))
    if here.acts:
        texts["log"] = " ".join(_log_words(here))
    if any(here.scores):
        texts["scores"] = ",".join(map(str, here.scores))
    return texts


def _log_words(here: Situation) -> list[str]:
    """Entries of the log, draws that were not seen together in one."""
    words: list[str] = []
    unseen = 0
    for at, act in enumerate(here.acts):
        if _is_unseen(here, at):
            unseen += 1
            if not _is_unseen(here, at + 1):
                words.append(Entry(act.seat, DRAW, count=unseen).text(act.seat))
                unseen = 0
            continue
        tile = act.tile if act.tile >= 0 else None
        words.append(Entry(act.seat, act.kind, tile, act.end, act.direction).text(act.seat))
    return words


def _is_unseen(here: Situation, at: int) -> bool:
    """Whether an act is a draw of the other that need not be named: not known, or known since it was played at once."""
    if at >= len(here.acts) or here.acts[at].kind != DRAW or here.acts[at].seat == here.seat:
        return False
    return here.acts[at].tile < 0 or here.acts[at + 1].kind == PLAY


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
        Columns of the `events` table: all rows of a match up to that step, which may itself be missing; `event`, `end`
        and `direction` as labels.
    rules
        A value for every rule.
    game, round_, step
        Which step.
    seat
        Who asks; None for whose turn it is.
    open_hands
        Whether all hands, and so all draws, are known.

    Raises
    ------
    PositionError
        If there is no such step, or nothing is played there.
    """
    step = max(step, N_SEATS * N_HAND)
    dealt, entries, scores = [0, 0], list[Entry](), [0, 0]
    found, last_step, last_event = False, -1, ""
    names = ("game", "round", "step", "event", "seat", "tile", "side", "direction", "stones")
    for row in zip(*(rows[name] for name in names), strict=True):
        at_game, at_round, at_step, event, who, tile, end, direction, points = row
        if at_game == game and at_round < round_ and event == "award":
            scores[who] += points
        if (at_game, at_round) != (game, round_):
            continue
        last_step, last_event = at_step, event
        if at_step == step:
            found = True
            break
        if event == "deal":
            dealt[who] |= 1 << tile
        elif event in ("lead", "play"):
            entries.append(Entry(who, PLAY, tile, (end or "")[:1], (direction or "")[:1]))
        elif event in ("draw", "pass"):
            entries.append(Entry(who, event, tile if event == "draw" else None))
    over = last_event in ("award", "end")
    # Rows that stop right before the step are as good: it is about to be done.
    if not found and (over or last_step < 0 or last_step + 1 != step):
        what = f"round {round_} of game {game}" if last_step < 0 else f"step {step} in round {round_} of game {game}"
        raise PositionError(f"the match has no {what}")
    if over:
        raise PositionError(f"step {step} is `{last_event}`: the round was over, there is nothing left to play")
    starter = max(SEATS, key=lambda s: max(map(rank, mask_tiles(dealt[s]))))
    turn = _turn(entries)
    turn = starter if turn is None else turn
    asking = turn if seat is None else seat
    if not entries and asking != starter:
        raise PositionError(f"before the lead it is the turn of seat {starter}; ask for that seat")
    hands = {s: _hand_after(dealt[s], s, entries) for s in SEATS if open_hands or s == asking}
    seen = [
        entry if entry.kind != DRAW or open_hands or entry.seat == asking else Entry(entry.seat, DRAW)
        for entry in entries
    ]
    return situate(seen, hands, scores, rules, asking)


def _hand_after(dealt: int, seat: int, entries: Sequence[Entry]) -> int:
    """What is left of a hand, with what was drawn."""
    for entry in entries:
        if entry.seat == seat and entry.tile is not None:
            dealt ^= 1 << entry.tile
    return dealt
