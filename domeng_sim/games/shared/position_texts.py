"""Positions of any game as people write them, as rows of the `events` table tell them, and as they are drawn.

docs/odds.md explains the notation.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from domeng_sim.core.tiles import hand_text, mask_tiles
from domeng_sim.errors import FieldRef, Part
from domeng_sim.games.shared.move_log import DRAW, END_WORDS, PASS, PLAY, Grammar, LogEntry, turn_after
from domeng_sim.games.shared.notation import parse_hand, parse_hands, parse_number
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.shared.pictures import Chain
from domeng_sim.games.shared.player_view import PlayerView
from domeng_sim.games.types import PositionError

HAND_FIELDS = {
    "hand": Field("Your tiles now, such as '6|5 5|5 3|1 2|1'; 65,55,31,21 is the same.", "TILES"),
    "hands": Field("The hands of all seats, separated by ; with ? for a hidden one.", "HANDS"),
}
SEAT_FIELD = Field("Who asks.  [default: whose turn it is]", "SEAT")

Row = Mapping[str, Any]
"""A row of the `events` table, by column."""


class Written(NamedTuple):
    """What is written of a position of every game.

    Attributes
    ----------
    entries
        The log.
    hands
        Known hands by seat.
    seat
        Who asks; None for whose turn it is.
    """

    entries: list[LogEntry]
    hands: dict[int, int]
    seat: int | None


def read_written(
    texts: Mapping[str, str], fields: Mapping[str, Field], grammar: Grammar, leader: int | None, *or_else: Part
) -> Written:
    """Log, hands and seat of a position that somebody wrote.

    Parameters
    ----------
    texts
        By the names in `fields`; what is not given may be missing.
    fields
        Fields of the game.
    grammar
        How entries of its log are written.
    leader
        Who leads, if that is known without a log.
    *or_else
        What else than the seat or a log tells whose hand it is, for the message that asks for it.

    Raises
    ------
    PositionError
        If something is no position; the message says why.
    """
    for name in texts:
        if name not in fields:
            raise PositionError(f"a position has no {name!r}; it has {', '.join(fields)}")
    entries = grammar.parse(texts.get("log", ""))
    if entries and entries[0].seat is None:
        raise PositionError(f"the first log entry names its seat, as in 0:{entries[0].text(0)[2:]}")
    last = grammar.n_seats - 1
    seat = parse_number("seat", texts["seat"], last) if "seat" in texts else None
    hands = parse_hands(texts["hands"], grammar.n_seats) if "hands" in texts else {}
    if "hand" in texts:
        turn = turn_after(entries, grammar.n_seats) if entries else leader
        owner = turn if seat is None else seat
        if owner is None:
            ways = FieldRef("seat"), *or_else, ", or a ", FieldRef("log")
            raise PositionError("whose hand is it? Give the seat: ", *ways)
        own = parse_hand(texts["hand"])
        if hands.setdefault(owner, own) != own:
            raise PositionError(FieldRef("hand"), " and ", FieldRef("hands"), f" give seat {owner} different tiles")
    return Written(entries, hands, seat)


def texts_of_view(here: PlayerView) -> dict[str, str]:
    """Seat, hands and log as people write them."""
    texts = {"seat": str(here.seat)}
    if any(hand is not None for seat, hand in enumerate(here.hands) if seat != here.seat):
        texts["hands"] = ";".join("?" if hand is None else hand_text(mask_tiles(hand)) for hand in here.hands)
    else:
        texts["hand"] = hand_text(mask_tiles(here.own))
    if here.acts:
        texts["log"] = " ".join(_log_words(here))
    return texts


def _log_words(here: PlayerView) -> list[str]:
    """Entries of the log, draws that were not seen together in one."""
    words: list[str] = []
    unseen = 0
    for at, act in enumerate(here.acts):
        if _is_unseen(here, at):
            unseen += 1
            if not _is_unseen(here, at + 1):
                words.append(LogEntry(act.seat, DRAW, count=unseen).text(act.seat))
                unseen = 0
            continue
        tile = act.tile if act.tile >= 0 else None
        entry = LogEntry(act.seat, act.kind, tile, act.end, act.direction, is_free=act.is_free)
        words.append(entry.text(act.seat))
    return words


def _is_unseen(here: PlayerView, at: int) -> bool:
    """Whether an act is a draw of another that need not be named: not known, or known since it was played at once."""
    if at >= len(here.acts) or here.acts[at].kind != DRAW or here.acts[at].seat == here.seat:
        return False
    return here.acts[at].tile < 0 or here.acts[at + 1].kind == PLAY


# --- Rows -------------------------------------------------------------------------------------------------------------


class RoundRows(NamedTuple):
    """Rows of a match before a step.

    Attributes
    ----------
    earlier
        Those of the rounds before.
    acts
        Those of the round, the deal left out.
    dealt
        Hands as dealt, by seat.
    """

    earlier: list[Row]
    acts: list[Row]
    dealt: list[int]

    def entries(self, n_seats: int, seat: int | None, open_hands: bool) -> list[LogEntry]:
        """What was done, as a log; draws of others than `seat` are not seen, unless all hands are open.

        Parameters
        ----------
        n_seats
            Seats of the game.
        seat
            Who asks; None for whose turn it is.
        open_hands
            Whether all hands, and so all draws, are known.
        """
        entries = []
        for row in self.acts:
            who, event = row["seat"], row["event"]
            if event in ("lead", "play"):
                side, direction = ((row.get(name) or "")[:1] for name in ("side", "direction"))
                entries.append(LogEntry(who, PLAY, row["tile"], side, direction))
            elif event == "draw":
                entries.append(LogEntry(who, DRAW, row["tile"]))
            else:
                entries.append(LogEntry(who, PASS))
        asking = turn_after(entries, n_seats) if seat is None else seat
        return [
            LogEntry(entry.seat, DRAW) if entry.kind == DRAW and not open_hands and entry.seat != asking else entry
            for entry in entries
        ]

    def hands(self, seats: Iterable[int]) -> dict[int, int]:
        """Hands of some seats now: what was dealt and drawn, less what was played."""
        found = {seat: self.dealt[seat] for seat in seats}
        for row in self.acts:
            if row["seat"] in found and row["event"] in ("lead", "play", "draw"):
                found[row["seat"]] ^= 1 << row["tile"]
        return found


def rows_before(
    rows: Mapping[str, Sequence[Any]], game: int, round_: int, step: int, n_seats: int, n_hand: int
) -> RoundRows:
    """Rows of a match before a step.

    Parameters
    ----------
    rows
        Columns of the `events` table: all rows of a match up to that step, which may itself be missing; codes as
        labels.
    game, round_, step
        Which step.
    n_seats, n_hand
        Seats, and tiles dealt to each.

    Raises
    ------
    PositionError
        If there is no such step, or nothing is played there.
    """
    step = max(step, n_seats * n_hand)
    earlier, own = list[Row](), list[Row]()
    for values in zip(*rows.values(), strict=True):
        row = dict(zip(rows, values, strict=True))
        at = (row["game"], row["round"])
        if at < (game, round_):
            earlier.append(row)
        elif at == (game, round_) and row["step"] <= step:
            own.append(row)
        else:
            break
    last: Row = own[-1] if own else {"event": "", "step": -1}
    over = last["event"] in ("award", "end", "camat")
    found = last["step"] == step
    # Rows that stop right before the step are as good: it is about to be done.
    if not found and (over or not own or last["step"] + 1 != step):
        what = f"step {step} in round {round_} of game {game}" if own else f"round {round_} of game {game}"
        raise PositionError(f"the match has no {what}")
    if over:
        raise PositionError(f"step {step} is `{last['event']}`: the round was over, there is nothing left to play")
    dealt = [0] * n_seats
    for row in own:
        if row["event"] == "deal":
            dealt[row["seat"]] |= 1 << row["tile"]
    acts = [row for row in own if row["event"] != "deal" and not (found and row is last)]
    return RoundRows(earlier, acts, dealt)


def asking_seat(entries: Sequence[LogEntry], starter: int, seat: int | None, n_seats: int) -> int:
    """Who asks: before the lead nobody but the starter.

    Raises
    ------
    PositionError
        If it is another one.
    """
    if not entries and seat not in (None, starter):
        raise PositionError(f"before the lead it is the turn of seat {starter}; ask for that seat")
    turn = turn_after(entries, n_seats)
    return seat if seat is not None else starter if turn is None else turn


# --- Drawn ------------------------------------------------------------------------------------------------------------


def position_lines(
    here: PlayerView, rows: Mapping[str, Sequence[str]], told: str, width: int, last: str = ""
) -> list[str]:
    """Lines that show a position: the chain, then a column for each seat and the hands that are known.

    Parameters
    ----------
    here
        The position.
    rows
        Cells by the label of their row; the first row has the heads.
    told
        The last line.
    width
        Columns.
    last
        What stands behind the ends.
    """
    lines = []
    chain = Chain()
    for act in here.acts:
        if act.kind == PLAY:
            chain = chain.joined(act.tile, END_WORDS[act.end]) if act.end else chain.led(act.tile)
    if chain.halves:
        tiles = [f"[{left}|{right}]" for left, right in chain.halves]
        lines += textwrap.wrap(" ".join(tiles), width - 2, initial_indent="  ", subsequent_indent="  ")
        left, right = here.ends
        lines.append((f"  ends {left} and {right}" if left != right else f"  both ends {left}") + last)
    else:
        lines.append("  nothing on the table yet")
    lines.append("")
    longest = max(5, *(len(text) for row in rows.values() for text in row))
    # closer together in a narrow terminal, so that no number is cut off
    size = max(longest + 1, min(longest + 2, (width - 10) // max(map(len, rows.values()))))
    for name, row in rows.items():
        lines.append(f"  {name:8}" + "".join(text.rjust(size) for text in row).rstrip())
    for seat, hand in enumerate(here.hands):
        if hand is not None:
            lines += textwrap.wrap(
                f"hand of {seat}  {hand_text(mask_tiles(hand))}",
                width - 2,
                initial_indent="  ",
                subsequent_indent=" " * 13,
            )
    return [*lines, "  " + told]
