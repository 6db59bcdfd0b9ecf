"""Positions of Draw as the rest of the program sees them."""

from __future__ import annotations

import textwrap

from domeng_sim.core.tiles import hand_text, mask_tiles
from domeng_sim.games.draw.odds import notation
from domeng_sim.games.draw.odds.measures import MEASURES, OUTCOMES
from domeng_sim.games.draw.odds.move_log import DRAW, LAST_STOCK, PASS, PLAY, SEATS
from domeng_sim.games.draw.odds.player_view import Situation
from domeng_sim.games.shared.notation import chain_of
from domeng_sim.games.shared.odds import OddsKernel, OddsSpec


def draw(here: Situation, width: int) -> list[str]:
    """Lines that show the position: the chain, then a column for each seat.

    Parameters
    ----------
    here
        The position.
    width
        Columns.
    """
    lines = []
    chain = chain_of((act.tile, act.end) for act in here.acts if act.kind == PLAY)
    if chain:
        tiles = [f"[{left}|{right}]" for left, right in chain]
        lines += textwrap.wrap(" ".join(tiles), width - 2, initial_indent="  ", subsequent_indent="  ")
        left, right = here.ends
        lines.append(f"  ends {left} and {right}" if left != right else f"  both ends {left}")
    else:
        lines.append("  nothing on the table yet")
    lines.append("")
    rows = {
        "seat": [*map(str, SEATS), "stock"],
        "tiles": [*map(str, here.held), str(here.stock)],
        "draws": list(map(str, here.n_acts(DRAW))),
        "PASSes": list(map(str, here.n_acts(PASS))),
        "points": list(map(str, here.scores)),
    }
    size = max(5, *(len(text) for row in rows.values() for text in row))
    for name, row in rows.items():
        if name in ("seat", "tiles") or any(text != "0" for text in row):
            lines.append(f"  {name:8}" + "".join(text.rjust(size + 2) for text in row).rstrip())
    for seat in SEATS:
        hand = here.hands[seat]
        if hand is not None:
            lines += textwrap.wrap(
                f"hand of {seat}  {hand_text(mask_tiles(hand))}",
                width - 2,
                initial_indent="  ",
                subsequent_indent=" " * 13,
            )
    left_to_draw = max(0, here.stock - LAST_STOCK)
    lines.append(f"  seat {here.turn} to move, {left_to_draw} tile{'s' * (left_to_draw != 1)} can be drawn")
    return lines


def _kernel() -> OddsKernel:
    from domeng_sim.games.draw.odds.sampled import DrawOdds

    return DrawOdds()


ODDS = OddsSpec(
    measures=MEASURES,
    fields=notation.FIELDS,
    read=notation.read,
    write=notation.texts_of,
    from_rows=notation.from_rows,
    draw=draw,
    outcomes=OUTCOMES,
    legend="scores, other, net: points that the end of the round brings the seat and the other, and the difference",
    kernel=_kernel,
)
