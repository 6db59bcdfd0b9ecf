"""``domeng-sim verify``."""

from __future__ import annotations

from pathlib import Path

import click

from domeng_sim.core.printable import printable
from domeng_sim.errors import Damaged


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
def command(run: Path) -> int:
    """Check every file of the dataset RUN against the checksums in its manifest."""
    from domeng_sim.runs.store.dataset import Dataset
    from domeng_sim.runs.store.verify import verify

    dataset = Dataset.open(run, strict=False)
    wrong = verify(dataset)
    if wrong:
        shown = "; ".join(map(str, wrong[:5])) + (f"; and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        mended = f". Remove the damaged files and run `{dataset.resume_command}`"
        raise Damaged(f"{run}: {shown}{mended if all(one.of_file for one in wrong) else ''}")
    parts = dataset.parts
    files = f"{len(parts)} file{'s' * (len(parts) != 1)}"
    found = f"{files}, {sum(part.rows for part in parts):,} rows, all checksums agree"
    state = f"not finished; go on with `{dataset.going_on}`" if dataset.going_on else "complete"
    print(f"{printable(str(run))}: {found if parts else 'no finished file yet'}; the {dataset.noun} is {state}")
    return 0
