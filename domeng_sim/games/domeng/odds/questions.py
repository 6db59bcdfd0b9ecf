"""Positions of Domeng as the rest of the program sees them."""

from __future__ import annotations

from domeng_sim.games.domeng.odds import notation
from domeng_sim.games.domeng.odds.measures import MEASURES, OUTCOMES
from domeng_sim.games.domeng.odds.move_log import SEATS
from domeng_sim.games.domeng.odds.player_view import N_UNUSED, DomengView
from domeng_sim.games.shared.odds import OddsKernel, OddsSpec
from domeng_sim.games.shared.position_texts import position_lines


def draw(here: DomengView, width: int) -> list[str]:
    """Lines that show the position: the chain, then a column for each seat; see `OddsSpec.draw`."""
    rows = {
        "seat": [*map(str, SEATS), "table"],
        "tiles": [*map(str, here.held), str(here.played.bit_count())],
        "stones": [*map(str, here.stones), str(here.table)],
    }
    if any(here.passes):
        rows["PASSes"] = [str(n) if n else "" for n in here.passes]
        rows["has no"] = ["".join(str(value) for value in range(7) if void >> value & 1) for void in here.voids]
    told = [f"seat {here.turn} to move", f"{N_UNUSED} tiles unused"]
    if here.camat >= 0:
        told.append(f"CAMAT is seat {here.camat}")
    if here.first_round:
        told.append("first round of a match")
    return position_lines(here, rows, ", ".join(told), width, f", last tile by seat {here.last_mappano}")


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
