"""Every two readings of every two rules together, in every game: rows, words, comparisons, reports and exact odds."""

from __future__ import annotations

import re

import pytest

from domeng_sim.core.bits import U
from domeng_sim.games import GAMES
from tests import checks
from tests.every_game import twin_of
from tests.pairs import covering, readings, settings_of
from tools.samples import ROOT

RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
games = pytest.mark.parametrize("name", GAMES)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name, spec in GAMES.items() for given in settings_of(spec)]
)
def test_everything__is_as_the_twin_has_it(name, given, tmp_path):
    checks.check(name, given, tmp_path / "run")


@games
def test_words__say_every_reading(name):
    telling, spec = GAMES[name].telling, GAMES[name]

    def words(given):
        rules = spec.resolve_rules(given)
        return telling.lesson(rules), telling.glossary(rules)

    for rule in spec.rules:
        for reading in readings(rule):
            is_usual = reading == rule.default
            assert (words({rule.name: reading}) == words({})) == is_usual, f"{rule.name} = {reading} is not told"


@games
def test_rules__are_those_of_the_twin_and_of_the_document(name):
    spec, twin = GAMES[name], twin_of(name)
    assert {rule.name: rule.default for rule in spec.rules} == twin.DEFAULT_RULES
    options = {rule.name: list(rule.choices) for rule in spec.rules if rule.choices and not rule.is_size}
    assert options == twin.OPTIONS
    title = re.escape(spec.title)
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", RULES, re.MULTILINE | re.DOTALL)
    for rule in spec.rules:
        assert f"`{rule.name}" in section, f"{rule.name} does not stand in docs/rules.md"
        # another reading than the usual one stands in the document by name
        for reading in rule.choices[1:]:
            assert f"`{rule.name} = {reading}`" in RULES, f"{rule.name} = {reading}"


@games
def test_core__has_every_rule_as_a_number(name):
    spec = GAMES[name]
    seen = set()
    for given in settings_of(spec):
        job = checks.runs_of(name).task(given)
        row = spec.kernel().game(job, None).terms.rules
        for rule in spec.rules:
            assert getattr(row, rule.name) == U(rule.code(job.rules[rule.name])), rule.name
            seen.add((rule.name, int(getattr(row, rule.name))))
    assert all(len({n for rule_name, n in seen if rule_name == rule.name}) > 1 for rule in spec.rules)


@games
def test_settings__have_every_two_readings_of_every_two_rules(name):
    rows = settings_of(GAMES[name])[1:]
    for one in GAMES[name].rules:
        for other in GAMES[name].rules:
            if one is not other:
                met = {(row[one.name], row[other.name]) for row in rows}
                assert met == {(a, b) for a in readings(one) for b in readings(other)}
    # far fewer than all
    assert len(rows) < 4 * max(len(readings(rule)) for rule in GAMES[name].rules) ** 2
    assert covering({"a": [1, 2], "b": [3]}) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
