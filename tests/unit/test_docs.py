"""Pages of docs/ that are generated are those that the sources give."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from domeng_sim.cli import COMMANDS, cli
from domeng_sim.cli.documents import DOCUMENTS
from domeng_sim.cli.help_text import STATUSES
from tools import docs, glossary_page, samples


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


def test_docs__the_glossary_is_current() -> None:
    assert glossary_page.PAGE.read_text(encoding="utf-8") == glossary_page.page(), "run `make docs`"


REFERENCE = samples.ROOT / "docs" / "reference.md"


def test_reference__has_every_status_document_and_environment_variable() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    statuses = re.findall(r"\b\d+\b", STATUSES)
    assert len(statuses) == 7
    listed = {number for line in re.findall(r"^\| ([\d, ]+) \|", text, re.MULTILINE) for number in line.split(", ")}
    assert listed == {*statuses, "5", "6"}
    assert all(f"(schema/{name}.json)" in text for name in DOCUMENTS)
    source = "".join(path.read_text(encoding="utf-8") for path in (samples.ROOT / "domeng_sim").rglob("*.py"))
    variables = set(re.findall(r"environ(?:\.get\(|\[)\"(\w+)\"", source))
    assert len(variables) > 5
    assert {name for name in variables if f"`{name}`" not in text} == set()


def test_links__of_the_documentation_lead_somewhere() -> None:
    for page in samples.pages():
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_reference_and_glossary__are_linked_from_help_and_readme() -> None:
    help_text = " ".join(cli.get_help(click.Context(cli)).split())
    readme = (samples.ROOT / "README.md").read_text(encoding="utf-8")
    for page in ("docs/reference.md", "docs/glossary.md"):
        assert page in help_text and f"({page})" in readme
    assert set(COMMANDS) >= {name for name in DOCUMENTS if "-" not in name}
