"""``domeng-sim sensitivity``."""

from __future__ import annotations

from dataclasses import dataclass

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import SWITCH
from domeng_sim.api.requests.studies import SensitivityRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.study import print_result, resume_hint, watched


@dataclass(frozen=True, kw_only=True)
class FullView(Display):
    """How a study of readings is printed."""

    full: bool = optional(SWITCH, "Print all figures, not only those whose change is significant.")


@request_command(SensitivityRequest, FullView)
def command(request: SensitivityRequest, view: FullView) -> int:
    """Tell how much each reading of the rules matters.

    The rules leave points open; each has a default and a named option.  Every other reading is played on the same deals
    as the default, and figures are compared match by match, with Holm's correction over all figures and readings.
    --rule changes the rules that all are compared with.

    \b
    Examples:
      domeng-sim sensitivity
      domeng-sim sensitivity --strategy banker --option camat_check --blocks 50000
      domeng-sim sensitivity --option stones=20 --option stones=30
      domeng-sim sensitivity --ranking random,heaviest,flexible,hunter,banker --seed 1
      domeng-sim sensitivity --game draw --option draw --option table=14x10
    """
    with watched(view, resume_hint(request.words(), None)) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_sensitivity import print_sensitivity

        result = studies.find_sensitivity(request, watch)
        words = request.reached(result.blocks, result.reason).words(full=view.full)
        print_result(result, words, view, lambda console: print_sensitivity(console, result, words, view.full))
        ended(result.reason)
    return 0
