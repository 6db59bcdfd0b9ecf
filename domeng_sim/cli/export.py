"""``domeng-sim export``."""

from __future__ import annotations

import sys

from domeng_sim.api.requests.runs import ExportRequest
from domeng_sim.cli.help_text import STATUSES
from domeng_sim.cli.options import Quiet, request_command


@request_command(ExportRequest, Quiet, epilog=STATUSES)
def command(request: ExportRequest, view: Quiet) -> int:
    """Write rows of a table of the dataset RUN for other programs, part by part, with flat memory.

    Tables of a run are summary, games, rounds and events, as far as it stored them; that of a study is blocks. Of what
    is not complete the finished parts are written. Parquet files need no export: pandas.read_parquet("RUN/rounds").

    \b
    Examples:
      domeng-sim export my-run > rounds.csv
      domeng-sim export my-run --table games --columns match,game,camat --match 0..99
      domeng-sim export my-run --table events --format jsonl | head
      domeng-sim export my-run --format arrow -o rounds.arrows
    """
    from domeng_sim.api.carry_out import runs
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import make_progress

    path = runs.export(request, Watch(make_progress(view.quiet)), sys.stdout.buffer)
    if path is not None and not view.quiet:
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
    return 0
