"""``domeng-sim verify``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from domeng_sim.errors import Damaged


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
def command(run: Path) -> int:
    """Check every file of the dataset RUN against the checksums in its manifest."""
    from domeng_sim.dataset import Dataset

    dataset = Dataset.open(run)
    wrong = dataset.verify()
    if wrong:
        shown = "; ".join(wrong[:5]) + (f"; and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise Damaged(f"{run}: {shown}. Remove the damaged files and run `domeng-sim run --resume --out {run}`")
    parts = dataset.parts
    going_on = f"domeng-sim {'play' if 'play' in dataset.manifest else 'run'} --resume --out {shlex.quote(str(run))}"
    state = "complete" if dataset.complete else f"not complete; go on with `{going_on}`"
    print(
        f"{run}: {len(parts)} files, {sum(part.rows for part in parts):,} rows, all checksums agree; the run is {state}"
    )
    return 0
