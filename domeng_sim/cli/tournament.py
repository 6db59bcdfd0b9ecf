"""``domeng-sim tournament``."""

from __future__ import annotations

from domeng_sim.api.requests.studies import TournamentRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.study import print_result, resume_hint, watched


@request_command(TournamentRequest, Display)
def command(request: TournamentRequest, view: Display) -> int:
    """Rank strategies on the same deals: five or more at tables of five, three or more at tables of two.

    Every set of five is a table up to 8 strategies, above that a balanced design.  At each table every block is played
    in 20 seatings, in which every strategy has every seat 4 times and every other one as left neighbour 5 times.  Of
    two players every pair is a table, and each block is played in both seatings.  Without options 1000 blocks are
    played; --until and --time-limit give intervals that hold at every look.  The name `presets` stands for all
    strategies that come with the game, and a TOML file for all strategies that it holds.

    Blocks kept with --out serve again when strategies are added: give the longer list with --resume.

    \b
    Examples:
      domeng-sim tournament random heaviest flexible hunter banker
      domeng-sim tournament presets --blocks 200 --seed 1
      domeng-sim tournament mine.toml master random
      domeng-sim tournament random starver blocker --game draw
      domeng-sim tournament random heaviest flexible hunter mine.toml:first --out five
      domeng-sim tournament random heaviest flexible hunter mine.toml:first passer --out five --resume
    """
    with watched(view, resume_hint(request.words(out=request.out, resume=True), request.out)) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_tournament import print_ranking

        result = studies.rank(request, watch)
        words = request.reached(result.blocks, result.reason).words()
        print_result(result, words, view, lambda console: print_ranking(console, result, words))
        ended(result.reason)
    return 0
