"""``domeng-sim sweep``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import FILE, SWITCH
from domeng_sim.api.requests.sweep import SweepRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.say import tell
from domeng_sim.cli.study import print_result, resume_hint, watched
from domeng_sim.runs.whole_file import refuse_file, whole_file

if TYPE_CHECKING:
    from domeng_sim.comparisons.sweep_result import SweepResult


@dataclass(frozen=True, kw_only=True)
class SweepDisplay(Display):
    """How a sweep is printed."""

    html: Path | str | None = optional(FILE, "Write one page with charts that needs nothing else.", repeats=False)
    full: bool = optional(SWITCH, "Print all figures, not only those that surely change.")


@request_command(SweepRequest, SweepDisplay)
def command(request: SweepRequest, view: SweepDisplay) -> int:
    """Play a grid of weights, rules or options of a search, on the same deals at every point.

    Where the strategy is changed, the answer is the share of games that it wins among --against; where rules are, it is
    how the figures of the game go.  Each point has an interval of its own.  The differences to the reference point have
    intervals that hold together over the whole grid.

    Blocks kept with --out serve again when points are added: give the larger grid with --resume.

    \b
    Examples:
      domeng-sim sweep --over weights.unseen=-2..0/0.25 --base master --against master
      domeng-sim sweep --over rule.stones=10..40/5 --html stones.html
      domeng-sim sweep --over n=10,30,100 --base search --against master --blocks 20
      domeng-sim sweep --over weights.double=0..2/1 --over rule.stones=15,25 --base master --reference stones=15
    """
    html = None if view.html is None else Path(view.html)
    if html is not None:
        refuse_file(html, "html", False)
    with watched(view, resume_hint(request.words(out=request.out, resume=True), request.out)) as (watch, ended):
        from domeng_sim.api.carry_out import studies
        from domeng_sim.cli.render_sweep import print_sweep

        result = studies.play_sweep(request, watch)
        words = request.reached(result.blocks, result.reason).words(full=view.full)
        if html is not None and result.cells:
            _write_page(html, result, words)
            if not view.quiet:
                tell(f"{html}: {html.stat().st_size / 1e6:.2f} MB, one page that needs nothing else")
        print_result(result, words, view, lambda console: print_sweep(console, result, words, view.full))
        ended(result.reason)
    return 0


def _write_page(path: Path, result: SweepResult, words: list[str]) -> None:
    from domeng_sim.api.results import Sweep as Viewed
    from domeng_sim.api.study_page import sweep_page

    with whole_file(path) as file:
        file.write(sweep_page(Viewed.of(result), words).encode())
