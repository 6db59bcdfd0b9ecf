"""Whole rounds as text."""

from __future__ import annotations

from tests.golden import make


def test_golden_rounds__are_played_as_written():
    # If a change of the rows is meant, `python -m tests.golden.make` writes the file anew; read what changed.
    assert make.text() == make.FILE.read_text()
