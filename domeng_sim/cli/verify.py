"""``domeng-sim verify``."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import ClassVar

from domeng_sim.api.requests.base import Request, required
from domeng_sim.api.requests.kinds import RUN
from domeng_sim.cli.help_text import STATUSES
from domeng_sim.cli.options import request_command
from domeng_sim.cli.rules import ListView
from domeng_sim.core.printable import printable
from domeng_sim.errors import Damaged
from domeng_sim.runs.store.location import Location

SCHEMA_VERSION = 1
"""Of the JSON output."""


@dataclass(frozen=True)
class VerifyRequest(Request):
    """A check of a dataset's files."""

    command: ClassVar[str] = "verify"

    run: Location = dataclasses.field(metadata=required(RUN, "The directory or address of a dataset."))


@request_command(VerifyRequest, ListView, epilog=STATUSES)
def command(request: VerifyRequest, view: ListView) -> int:
    """Check every file of the dataset RUN against the checksums in its manifest.

    \b
    Examples:
      domeng-sim verify my-run
      domeng-sim verify my-run --json
    """
    from domeng_sim.runs.store.dataset import Dataset
    from domeng_sim.runs.store.verify import verify

    dataset = Dataset.open(request.run, strict=False)
    wrong = verify(dataset)
    n_rows = sum(part.rows for part in dataset.parts)
    if view.json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "directory": str(request.run),
            "files": len(dataset.parts),
            "rows": n_rows,
            "complete": dataset.complete,
            "go_on_with": dataset.going_on or None,
            "wrong": [one.text for one in wrong],
        }
        print(json.dumps(document, indent=1))
    if wrong:
        shown = "; ".join(one.text for one in wrong[:5]) + (f"; and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        # what is not the fault of a file is not mended by removing one
        mended = f". Remove the damaged files and run `{dataset.resume_command}`"
        raise Damaged(f"{request.run}: {shown}{mended if all(one.of_file for one in wrong) else ''}")
    if not view.json:
        files = f"{len(dataset.parts)} file{'s' * (len(dataset.parts) != 1)}"
        found = f"{files}, {n_rows:,} rows, all checksums agree" if dataset.parts else "no finished file yet"
        state = f"not finished; go on with `{dataset.going_on}`" if dataset.going_on else "complete"
        print(f"{printable(str(request.run))}: {found}; the {dataset.noun} is {state}")
    return 0
