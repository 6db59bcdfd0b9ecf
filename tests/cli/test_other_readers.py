"""What other programs read of a run while it is played, and after it was killed: whole parts and nothing else."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.command_line import call, command, environment, manifest

pytestmark = [
    pytest.mark.compiled,
    # fastparquet leaves its files open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

duckdb, polars, fastparquet = (pytest.importorskip(name) for name in ("duckdb", "polars", "fastparquet"))


def _duckdb(folder: Path) -> int:
    with duckdb.connect() as connection:
        (rows,) = connection.execute(f"select count(*) from '{folder}/*.parquet'").fetchone()
        return int(rows)


READERS: dict[str, Callable[[Path], int]] = {
    "pandas": lambda folder: len(pd.read_parquet(folder, columns=["match"])),
    "Polars, folder": lambda folder: polars.scan_parquet(folder).select("match").collect().height,
    "Polars, glob": lambda folder: polars.scan_parquet(folder / "*.parquet").select("match").collect().height,
    "DuckDB": _duckdb,
    "fastparquet": lambda folder: len(fastparquet.ParquetFile(str(folder)).to_pandas(["match"])),
}


def read_by_all(run: Path) -> dict[str, dict[str, int]]:
    """Rows of each table, by each reader."""
    return {
        name: {table: count(run / table) for table in ("games", "rounds", "events")} for name, count in READERS.items()
    }


def wait_for(condition: Callable[[], Any], running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not condition() and running.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.002)


def test_tables__are_read_by_others_while_they_are_written_and_after_a_kill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    words = ["run", "--matches", "3000", "--tables", "events", "--seed", "3", "--threads", "2", "--quiet"]
    running = subprocess.Popen(command(*words, "--out", "run"), cwd=tmp_path, env=environment())
    try:
        # a part is there, and others are being written
        wait_for(lambda: any(run.glob("events/*.parquet")) and any(run.glob(".writing/*")), running)
        for name, count in READERS.items():
            for table in ("games", "rounds", "events"):
                assert count(run / table) > 0, (name, table)
        wait_for(lambda: any(run.glob(".writing/*")), running)
        assert running.poll() is None
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    found = read_by_all(run)
    assert len({str(rows) for rows in found.values()}) == 1, found
    assert any(run.glob(".writing/*"))
    assert call(capsys, "verify", run).status == 0
    assert call(capsys, "run", "--resume", "--out", run, "-q").status == 0
    assert not (run / ".writing").exists()
    totals = manifest(run)["totals"]
    found = read_by_all(run)
    assert {(rows["games"], rows["rounds"]) for rows in found.values()} == {(totals["games"], totals["rounds"])}
