"""``domeng-sim power``."""

from __future__ import annotations

from domeng_sim.api.requests.studies import PowerRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.study import print_result, resume_hint, watched


@request_command(PowerRequest, Display)
def command(request: PowerRequest, view: Display) -> int:
    """Plan a comparison: how many blocks find a difference of a given size between strategies A and B.

    A pilot of one A among B (of two players: A against B) tells how much the share of a block varies.  From that follow
    the number of blocks to fix beforehand (`compare --blocks`), the number after which an interval that holds at
    every look has this half-width (`compare --until`), and what a sequential test takes on average (`compare
    --sprt`).  At a table of five that is for one table, `compare --field 1`; over both ends it takes somewhat more.

    \b
    Examples:
      domeng-sim power hunter random
      domeng-sim power hunter banker --difference 0.1pp --power 0.9 --pilot 2000
      domeng-sim power starver blocker --game draw
    """
    with watched(view, resume_hint(request.words(), None)) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_power import print_power

        result = studies.find_power(request, watch)
        words = request.reached(result.blocks, result.reason).words()
        print_result(result, words, view, lambda console: print_power(console, result, words))
        ended(result.reason)
    return 0
