"""``domeng-sim compare``."""

from __future__ import annotations

from domeng_sim.api.requests.studies import CompareRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.study import print_result, resume_hint, watched

STATUS = {"H1": 0, "H0": 6, "undecided": 5}
"""Exit statuses of a sequential test."""


@request_command(CompareRequest, Display)
def command(request: CompareRequest, view: Display) -> int:
    """Find out whether strategy A is better than strategy B, on the same deals and in every seat.

    A block is one match number, played with A in each seat in turn.  Its score is A's share of the games won; the fair
    share is 20 % at a table of five and 50 % at one of two.  Unless --blocks fixes their number, intervals are
    confidence sequences, which hold at every look, so the run may be stopped at any time.  Without options it stops
    when the half-width of the share is 0.2 percentage points; at a table of five at both ends, one A among four B and
    one B among four A.

    Each printed interval has a level of 95 % by itself; the answer has it for all comparisons together (familywise).
    With fewer than 20 fixed blocks a difference is called only if the sign-flip test rejects equality too.

    A strategy written NAME@1 is a copy that draws other random numbers.

    \b
    Exit status: 0 answered; with --sprt 0 H1 accepted, 6 H0 accepted, 5 undecided at
    the limit; 2 bad input, 3 refused, 4 damaged data, 130 and 143 stopped by a signal.

    \b
    Examples:
      domeng-sim compare hunter random
      domeng-sim compare hunter banker --until decided --time-limit 60
      domeng-sim compare mine.toml:first random --sprt 0.20,0.21 && echo better
      domeng-sim compare hunter banker --opponents random --blocks 5000 --seed 1
      domeng-sim compare starver blocker --game draw
    """
    with watched(view, resume_hint(request.words(out=request.out, resume=True), request.out)) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_studies import print_comparison

        result = studies.compare(request, watch)
        words = request.reached(result.blocks, result.reason).words()
        print_result(result, words, view, lambda console: print_comparison(console, result, words))
        ended(result.reason)
    return STATUS[result.test.verdict] if result.test is not None else 0
