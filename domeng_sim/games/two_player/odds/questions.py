"""Positions of two-player games as the rest of the program sees them."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.shared import move_log
from domeng_sim.games.shared.odds import Field, OddsKernel, OddsSpec
from domeng_sim.games.shared.position_texts import position_lines
from domeng_sim.games.two_player.odds import notation
from domeng_sim.games.two_player.odds.measures import MEASURES, OUTCOMES
from domeng_sim.games.two_player.odds.move_log import SEATS
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView


def draw(here: TwoPlayerView, width: int) -> list[str]:
    """Lines that show the position: the chain, then a column for each seat; see `OddsSpec.draw`."""
    rows = {
        "seat": [*map(str, SEATS), "stock" if here.draw != "none" else "out"],
        "tiles": [*map(str, here.held), str(here.stock)],
    }
    more = {"draws": here.n_acts(move_log.DRAW), "PASSes": here.n_acts(move_log.PASS), "points": here.scores}
    rows |= {name: list(map(str, numbers)) for name, numbers in more.items() if any(numbers)}
    told = f"seat {here.turn} to move"
    if here.draw != "none":
        told += f", {here.to_draw} tile{'s' * (here.to_draw != 1)} can be drawn"
    return position_lines(here, rows, told, width)


def _kernel() -> OddsKernel:
    from domeng_sim.games.two_player.odds.sampled import TwoPlayerOdds

    return TwoPlayerOdds()


def _odds(fields: Mapping[str, Field]) -> OddsSpec:
    return OddsSpec(
        measures=MEASURES,
        fields=fields,
        read=notation.read,
        write=notation.texts_of,
        from_rows=notation.from_rows,
        draw=draw,
        outcomes=OUTCOMES,
        legend="scores, other, net: points that the end of the round brings the seat and the other, and the difference",
        kernel=_kernel,
    )


WITH_DRAWS = _odds(notation.FIELDS)
WITHOUT_DRAWS = _odds(notation.FIELDS_WITHOUT_DRAWS)
