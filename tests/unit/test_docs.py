"""Pages of docs/ that are generated are those that the sources give."""

from __future__ import annotations

from tools import docs


def test_docs__the_page_of_tables_is_current() -> None:
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "run `make docs`"
