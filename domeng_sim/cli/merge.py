"""``domeng-sim merge``."""

from __future__ import annotations

import json

from domeng_sim.api.requests.runs import MergeRequest
from domeng_sim.cli.help_text import STATUSES
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.core.printable import printable
from domeng_sim.errors import Interrupted

SCHEMA_VERSION = 1
"""Of the JSON output."""


@request_command(MergeRequest, Display, epilog=STATUSES)
def command(request: MergeRequest, view: Display) -> int:
    """Make one dataset of pieces of a run, as `domeng-sim run --shard` plays them.

    It is the same in every byte as if one machine had played it. Pieces are checked first: that they are of the same
    run, that no match is missing or there twice, and that every file is what was written. The whole takes no further
    room where its directory is on the same disk, since its files are links to those of the pieces; these may be
    removed then, or by --move. Runs that were stopped can be pieces too.

    \b
    Examples:
      domeng-sim merge piece-1 piece-2 --out whole
      domeng-sim merge pieces/* --out whole --move
    """
    from domeng_sim.api.carry_out import runs
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import make_progress

    with stop_on_signals("stopped; every piece stays until the whole is complete") as stop:
        try:
            merged = runs.merge(request, Watch(make_progress(view.quiet), stop.event))
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
    dataset = merged.dataset
    parts, totals = dataset.parts, dataset.manifest["totals"]
    size = sum(part.bytes for part in parts)
    if view.json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "directory": str(dataset.directory),
            "identity": dataset.manifest["identity"],
            "pieces": merged.pieces,
            "moved": request.move,
            "files": len(parts),
            "linked": merged.linked,
            "bytes": size,
            "totals": totals,
        }
        print(json.dumps(document, indent=1))
        return 0
    copies = len(parts) - merged.linked
    how = f", {copies:,} of them copied" if copies else ", no copies"
    found = f"{merged.pieces:,} pieces, {len(parts):,} files, {size / 1e6:,.1f} MB{how}"
    gone = "; the pieces are removed" if request.move else ""
    played = f"{totals['matches']:,} matches, {totals['rounds']:,} rounds"
    print(f"{printable(str(dataset.directory))}: {found}; {played}{gone}")
    return 0
