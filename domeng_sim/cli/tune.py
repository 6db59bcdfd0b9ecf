"""``domeng-sim tune``."""

from __future__ import annotations

from domeng_sim.api.requests.tune import TuneRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.study import print_result, resume_hint, watched


@request_command(TuneRequest, Display)
def command(request: TuneRequest, view: Display) -> int:
    """Tune the weights of a strategy, and write it into a file that every command takes.

    Candidates (CMA-ES) play one among --against, in every seat in turn, all of a generation on the same deals, each
    generation on new ones.  The result is the middle of the last generation.  It then meets its start on fresh deals,
    one among the others both ways: only this answer, with its interval, says whether anything was gained.

    Generations are kept beside the file (FILE.tune), so that --resume goes on after Ctrl-C or a kill, or with more of
    them; the result is the same.  Ctrl-C writes the best so far.  Needs the extra domeng-sim[tune].

    \b
    Examples:
      domeng-sim tune bold --out my.toml
      domeng-sim tune bold --features unseen,double,next_pass --time 10m --out my.toml
      domeng-sim tune bold --out my.toml --resume --generations 60
      domeng-sim run --strategy my.toml:bold
    """
    with watched(view, resume_hint(request.words(out=request.out, resume=True), str(request.out))) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_tune import print_tuning

        result = studies.tune(request, watch)
        words = request.reached(len(result.history)).words(out=request.out)
        print_result(result, words, view, lambda console: print_tuning(console, result, words, str(request.out)))
        ended(result.reason)
    return 0
