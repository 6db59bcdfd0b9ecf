"""Positions of Domeng as the rest of the program sees them."""

from __future__ import annotations

import textwrap

from domeng_sim.core.tiles import hand_text, mask_tiles
from domeng_sim.games.domeng.odds import notation
from domeng_sim.games.domeng.odds.measures import MEASURES, OUTCOMES
from domeng_sim.games.domeng.odds.move_log import SEATS
from domeng_sim.games.domeng.odds.player_view import N_UNUSED, Situation
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
    chain = chain_of((act.tile, act.end) for act in here.acts if act.tile >= 0)
    if chain:
        tiles = [f"[{left}|{right}]" for left, right in chain]
        lines += textwrap.wrap(" ".join(tiles), width - 2, initial_indent="  ", subsequent_indent="  ")
        left, right = here.ends
        lines.append(f"  ends {left} and {right}, last tile by seat {here.last_mappano}" if left != right else
                     f"  both ends {left}, last tile by seat {here.last_mappano}")  # fmt: skip
    else:
        lines.append("  nothing on the table yet")
    lines.append("")
    rows = {
        "seat": [*map(str, SEATS), "table"],
        "tiles": [*map(str, here.held), str(here.played.bit_count())],
        "stones": [*map(str, here.stones), str(here.table)],
    }
    if any(here.passes):
        rows["PASSes"] = [str(n) if n else "" for n in here.passes]
        rows["has no"] = ["".join(str(value) for value in range(7) if void >> value & 1) for void in here.voids]
    longest = max(5, *(len(text) for row in rows.values() for text in row))
    size = max(longest + 1, min(longest + 2, (width - 10) // len(rows["seat"])))
    for name, row in rows.items():
        lines.append(f"  {name:8}" + "".join(text.rjust(size) for text in row).rstrip())
    for seat in SEATS:
        hand = here.hands[seat]
        if hand is not None:
            lines.append(f"  hand of {seat}  {hand_text(mask_tiles(hand))}")
    told = [f"seat {here.turn} to move", f"{N_UNUSED} tiles unused"]
    if here.camat >= 0:
        told.append(f"CAMAT is seat {here.camat}")
    if here.first_round:
        told.append("first round of a match")
    lines.append("  " + ", ".join(told))
    return lines


def _kernel() -> OddsKernel:
    from domeng_sim.games.domeng.odds.sampled import DomengOdds

    return DomengOdds()


ODDS = OddsSpec(
    measures=MEASURES,
    fields=notation.FIELDS,
    read=notation.read,
    write=notation.texts_of,
    from_rows=notation.from_rows,
    draw=draw,
    outcomes=OUTCOMES,
    legend="gets, gives: stones from now to the end of the round",
    kernel=_kernel,
)
