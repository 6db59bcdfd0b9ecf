"""``domeng-sim odds``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from domeng_sim.api.requests.positions import OddsRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.errors import Interrupted

if TYPE_CHECKING:
    from domeng_sim.positions.odds_result import OddsResult

SCHEMA_VERSION = 1
"""Of the JSON output."""


@request_command(
    OddsRequest,
    Display,
    epilog="`domeng-sim show RUN --match M --game-number G --round R` tells that round; the numbers before its steps "
    "are those of --step.",
)
def command(request: OddsRequest, view: Display) -> int:
    """What should I play here?  Odds of each move of a position.

    The hidden tiles are sampled uniformly from all deals consistent with what was seen, and each move is played out on
    the same deals with common random numbers.  docs/odds.md explains the notation.

    \b
    Examples:
      domeng-sim odds --hand '6|5 5|5 5|2 3|1 2|2' --seat 0
      domeng-sim odds --hand '6|5 4|1 3|1 2|1' --stones 2,1,2,3,4 \\
          --log '0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r'
      domeng-sim odds --position table.txt --opponents blocker --until 0.5pp
      domeng-sim odds --game draw --hand '6|2 5|5 4|1 3|3 3|2' \\
          --log '0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r'
      domeng-sim odds --from my-run --match 3 --round 5 --step 31 --open-hands --exact
    """
    request = request.with_position()
    located = request.located
    assert located is not None
    assert located.spec.odds is not None
    head = {
        "command": shlex.join(request.words()),
        "game": located.spec.name,
        "rules": dict(located.rules),
        "position": located.spec.odds.write(located.position),
        "seats": [strategy.to_json() for strategy in request.players(located)],
        "seed": None if request.exact else str(request.seed),
    }
    _report(_find(request, view), head, view)
    return 0


def _find(request: OddsRequest, view: Display) -> OddsResult:
    from domeng_sim.api.carry_out import positions
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.cli.signals import stop_on_signals

    with stop_on_signals("stopped; nothing was kept") as stop:
        try:
            return positions.find_odds(request, Watch(make_progress(view.quiet), stop.event))
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None


def _report(found: OddsResult, head: Mapping[str, Any], view: Display) -> None:
    if view.json:
        content = {"schema_version": SCHEMA_VERSION, **head, **found.to_json()}
        print(json.dumps(content, allow_nan=False, indent=1))
        return
    from domeng_sim.cli.odds_page import render_odds

    render_odds(found, head, view.color)
