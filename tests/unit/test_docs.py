"""Pages of docs/ that are generated are those that the sources give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import docs, samples


def test_docs__the_page_of_tables_is_current() -> None:
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "run `make docs`"


@pytest.mark.compiled
@pytest.mark.parametrize(
    "page", [page for page in samples.pages() if samples.commands(page)], ids=lambda page: page.stem
)
def test_docs__samples_are_what_the_program_prints(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert samples.filled(text) == text, "run `make docs`"


def test_docs__a_sample_has_the_parts_that_were_asked_for() -> None:
    lines = ["one", "  two", "three", "four", "five"]
    assert samples.shown(lines, ["two .. three", "five"]) == ["  two", "three", "", "five"]
    assert samples.shown(lines, ["one", "four .."]) == ["one", "", "four", "five"]
    with pytest.raises(RuntimeError, match="nothing printed begins as in 'six'"):
        samples.shown(lines, ["six"])
