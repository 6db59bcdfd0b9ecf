"""The page docs/glossary.md, made of the words of the games and of statistics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from domeng_sim.analysis.glossary import STATISTICS
from domeng_sim.games import GAMES
from domeng_sim.games.shared.glossary import COMMON

PAGE = Path(__file__).resolve().parent.parent / "docs" / "glossary.md"

HEAD = """\
# Glossary

This page is written by `make docs`. `play` explains the words of its game too: `? cappu`. The rules, exactly, are in
[rules.md](rules.md), and how figures come about in [statistics.md](statistics.md).
"""


def _section(title: str, words: Mapping[str, str]) -> str:
    # a bar within a cell ends it
    bar = str.maketrans({"|": "\\|"})
    lines = [f"| {word} | {words[word].translate(bar)} |" for word in sorted(words, key=str.lower)]
    return "\n".join([f"## {title}", "", "| word | meaning |", "| --- | --- |", *lines]) + "\n"


def page() -> str:
    """The page as it should be: a word of several games stands once where it means the same."""
    sections = []
    common = dict(COMMON)
    for spec in GAMES.values():
        assert spec.telling is not None
        words = spec.telling.glossary(spec.resolve_rules({}))
        common = {word: meaning for word, meaning in common.items() if words.get(word, meaning) == meaning}
    for spec in GAMES.values():
        assert spec.telling is not None
        words = spec.telling.glossary(spec.resolve_rules({}))
        own = {word: meaning for word, meaning in words.items() if word not in common}
        sections.append(_section(f"{spec.title}, by its default rules", own))
    return "\n".join([HEAD, _section("All games", common), *sections, _section("Statistics", STATISTICS)])
