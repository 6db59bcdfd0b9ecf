"""Rounds as they are told."""

from __future__ import annotations

from tests.golden import make_told


def test_golden_stories__are_told_as_written():
    # If a change of the words or pictures is meant, `python -m tests.golden.make_told` writes the file anew; read it.
    assert make_told.text() == make_told.FILE.read_text(encoding="utf-8")
