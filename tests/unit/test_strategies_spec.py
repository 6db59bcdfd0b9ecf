"""Strategies by text: what is accepted, what it stands for, and one clear line for everything else."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import replace

import pytest

import domeng_sim
from domeng_sim.errors import BadInput
from domeng_sim.games import GAMES, game
from domeng_sim.strategies import resolve as spec_module
from domeng_sim.strategies.resolve import presets, resolve
from domeng_sim.strategies.spec import StrategySpec, seat
from domeng_sim.strategies.weighted import MAX_WEIGHT, Entry, StrategySpecError, parse_entries

DOMENG = game("domeng")
ONE = """
[[strategy]]
name = "mine"
summary = "a  summary\\nof two lines"
weights = { unseen = -1, pips = 0.125, double = 0 }
"""
TWO = ONE + '[[strategy]]\nname = "other"\ntemperature = 0.5\n[strategy.weights]\npips = -2\n'


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The current folder holds one.toml, two.toml, mine.py and a package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.toml").write_text(ONE)
    (tmp_path / "two.toml").write_text(TWO)
    (tmp_path / "mine.py").write_text('def choose(view, moves):\n    """Plays first.\n\n    More."""\n    return 0\n')
    (tmp_path / "someones").mkdir()
    (tmp_path / "someones" / "__init__.py").write_text("")
    (tmp_path / "someones" / "ideas.py").write_text("def last(view, moves):\n    return moves.n - 1\n")
    yield tmp_path
    sys.modules.pop("someones", None)


def message(text, *arguments):
    with pytest.raises(StrategySpecError) as caught:
        resolve(text, DOMENG, *arguments)
    assert isinstance(caught.value, BadInput) and isinstance(caught.value, ValueError)
    said = str(caught.value)
    assert "\n" not in said and "Traceback" not in said
    return said


# --- Changes behind the name ------------------------------------------------------------------------------------------


def test_changes__give_the_weights_and_the_rest_stays(files):
    spec, base = resolve("master+unseen=-1.5", DOMENG), resolve("master", DOMENG)
    assert spec.weights == {**base.weights, "unseen": -1500} and list(spec.weights) == list(base.weights)
    assert (spec.name, spec.kind, spec.origin) == ("master+unseen=-1.5", "weighted", "built in")
    assert (spec.summary, spec.source) == ("master with unseen -1.5", base.source)
    other = resolve("two.toml:other+double=0.25+temperature=0@2", DOMENG)
    assert other.weights == {"pips": -2000, "double": 250}
    assert (other.name, other.temperature, other.copy) == ("other+double=0.25+temperature=0", 0.0, 2)
    assert resolve("random+pips=1", DOMENG).kind == "weighted"
    assert StrategySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("master+unseen=-1.500", "master+unseen=-1.5"),
        ("master+drain=10+pips=.5", "master+pips=0.5+drain=10"),
        ("master+double=9.0+unseen=-1", "master"),
        ("master+unseen= -1.5 @3", "master+unseen=-1.5@3"),
        ("careless+temperature=8.50", "careless+temperature=8.5"),
        ("random+pips=0+temperature=-0", "random"),
        ("one.toml:mine+pips=0", "one.toml:mine+pips=0"),
        ("one.toml+double=1e1", "one.toml+double=10"),
    ],
)
def test_changes__have_one_text_for_the_same_weights(files, text, canonical):
    spec = resolve(text, DOMENG)
    assert spec.text == canonical
    assert replace(resolve(canonical, DOMENG), text=canonical) == spec


def test_changes__fit_a_base_whose_path_holds_plus_and_equals_signs(files):
    folder = files / "c++=x"
    folder.mkdir()
    (folder / "one.toml").write_text(ONE)
    assert resolve("c++=x/one.toml", DOMENG).name == "mine"
    assert resolve("c++=x/one.toml+pips=3", DOMENG).weights == {"pips": 3000, "unseen": -1000}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("master+unsen=1", "no feature 'unsen'; did you mean unseen"),
        ("master+unseen=", "must be a number, not ''"),
        ("master+unseen=much", "must be a number, not 'much'"),
        ("master+unseen=nan", "finite"),
        ("master+unseen=1e999999", "between -1000000"),
        ("master+unseen=1000001", "between -1000000"),
        ("master+unseen=0.0001", "at most 3 decimals"),
        ("master+unseen=1+unseen=2", "unseen stands twice"),
        ("master+temperature=-1", "temperature must be 0 or lie between"),
        ("nobody+unseen=1", "no strategy 'nobody'"),
        ("master+unseen", "did you mean master"),
        ("+unseen=1", "no strategy"),
        ("master@1+unseen=1", "after @ stands the number of a copy"),
        ("mine.py:choose+unseen=1", "a function has no weights"),
        ("two.toml+unseen=1", "holds several strategies"),
        ("person+unseen=1", "is no strategy"),
    ],
)
def test_changes__that_cannot_be_made_are_one_line(files, text, said):
    assert said in message(text)


# --- What is accepted -------------------------------------------------------------------------------------------------


def test_random__has_no_weights_and_no_temperature():
    spec = resolve("random", DOMENG)
    assert (spec.name, spec.kind, spec.weights, spec.temperature, spec.copy) == ("random", "random", {}, 0.0, 0)
    assert seat(spec).weights == {} and seat(spec).function is None


def test_copy__is_the_same_strategy_keyed_differently():
    plain, copied = resolve("heaviest", DOMENG), resolve("heaviest@17", DOMENG)
    assert copied == replace(plain, text="heaviest@17", copy=17)
    assert seat(copied).copy == 17


@pytest.mark.parametrize(
    ("text", "name", "kind", "copy"),
    [
        ("one.toml", "mine", "weighted", 0),
        ("one.toml:mine", "mine", "weighted", 0),
        ("two.toml:other@3", "other", "weighted", 3),
        ("./two.toml:mine", "mine", "weighted", 0),
        ("mine.py:choose", "choose", "user", 0),
        ("mine.py:choose@2", "choose", "user", 2),
        ("someones.ideas:last", "last", "user", 0),
        (" random ", "random", "random", 0),
    ],
)
def test_texts__of_every_form_name_a_strategy(files, text, name, kind, copy):
    spec = resolve(text, DOMENG)
    assert (spec.text, spec.name, spec.kind, spec.copy, spec.game) == (text, name, kind, copy, "domeng")


def test_path__may_hold_an_at_sign_and_a_colon(files):
    folder = files / "a@b" / "c:d"
    folder.mkdir(parents=True)
    (folder / "one.toml").write_text(ONE)
    (folder / "mine.py").write_text("def choose(view, moves): return 0\n")
    assert resolve(f"{folder}/one.toml:mine@1", DOMENG).copy == 1
    assert resolve(f"{folder}/one.toml", DOMENG).name == "mine"
    assert resolve(f"{folder}/mine.py:choose", DOMENG).name == "choose"


def test_weights__are_thousandths_in_the_order_of_the_features_without_zeros(files):
    spec = resolve("one.toml", DOMENG)
    assert list(spec.weights.items()) == [("pips", 125), ("unseen", -1000)]
    assert spec.summary == "a summary of two lines"
    assert resolve("two.toml:other", DOMENG).temperature == 0.5
    assert seat(resolve("two.toml:other", DOMENG)).temperature == 0.5


def test_content_hash__is_of_what_is_played_not_of_names(files):
    (files / "same.toml").write_text(
        '[[strategy]]\nname = "renamed"\nsummary = "said otherwise"\nweights = { pips = 0.1250, unseen = -1.0 }\n'
    )
    assert resolve("same.toml", DOMENG).content_hash == resolve("one.toml", DOMENG).content_hash
    hashes = {spec.content_hash for spec in presets(DOMENG).values()}
    assert len(hashes) == len(presets(DOMENG))


def test_content_hash__is_the_same_for_weights_that_differ_by_a_factor():
    scaled = "heaviest+pips=3", "random+pips=0.001", "lightest+pips=2"
    assert {resolve(text, DOMENG).content_hash for text in scaled} == {resolve("heaviest", DOMENG).content_hash}
    assert resolve("heaviest+pips=-1", DOMENG).content_hash == resolve("lightest", DOMENG).content_hash
    # a temperature scales with the weights; only by powers of two are all quotients the same to the last bit
    soft = [resolve(f"random+pips={pips}+temperature={t}", DOMENG) for pips, t in ((1, 4), (2, 8), (2, 4), (3, 12))]
    assert [spec.content_hash == soft[0].content_hash for spec in soft] == [True, True, False, False]
    nothing = resolve("careless+" + "+".join(f"{name}=0" for name in DOMENG.features), DOMENG)
    assert nothing.temperature and nothing.content_hash == resolve("random", DOMENG).content_hash


@pytest.mark.parametrize("name", ["master", "careless", "master+next_pass=0.007+drain_pass=-0.003+lead_double=1"])
def test_weights_that_differ_by_a_factor__play_the_same(name):
    spec = resolve(name, DOMENG)
    doubled = "+".join(f"{feature}={weight / 500:g}" for feature, weight in spec.weights.items())
    other = f"random+{doubled}+temperature={2 * spec.temperature:g}"
    assert resolve(other, DOMENG).content_hash == spec.content_hash and resolve(other, DOMENG).weights != spec.weights
    one, two = (domeng_sim.simulate(matches=20, seed=3, strategy=text).rounds for text in (name, other))
    assert one.equals(two)


def test_content_hash__of_a_function_is_of_the_source_text(files):
    before = resolve("mine.py:choose", DOMENG)
    (files / "renamed.py").write_text((files / "mine.py").read_text())
    assert resolve("renamed.py:choose", DOMENG).content_hash == before.content_hash
    (files / "mine.py").write_text("def choose(view, moves):\n    return 1\n")
    assert resolve("mine.py:choose", DOMENG).content_hash != before.content_hash
    assert before.summary == "Plays first."


@pytest.mark.parametrize("text", ["random@1", "master", "careless", "two.toml:other", "mine.py:choose"])
def test_manifest__gives_the_strategy_back(files, text):
    spec = resolve(text, DOMENG)
    assert StrategySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(spec) == hash(resolve(text, DOMENG))


def test_manifest__holds_the_weights_themselves(files):
    assert resolve("one.toml", DOMENG).to_json()["weights_thousandths"] == {"pips": 125, "unseen": -1000}


def test_largest_weights__cannot_overflow_a_score():
    # every feature is below 4096: the largest is a sum of four chances in thousandths
    assert len(DOMENG.features) * MAX_WEIGHT * 1000 * 4096 < 2**62


# --- The strategies that come with a game -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(GAMES))
def test_presets__of_every_game_are_random_and_entries_with_a_summary_and_a_source(name):
    known = presets(game(name))
    assert next(iter(known)) == "random"
    for spec in known.values():
        assert spec.summary and spec.source and spec.origin == "built in"
        assert resolve(spec.name, game(name)) == spec


def test_presets__of_domeng_are_there():
    wanted = "random heaviest lightest doubles_first doubles_last flexible blocker passer hunter banker master"
    assert set(wanted.split()) <= set(presets(DOMENG))


def test_presets__every_feature_is_used_by_one_but_those_for_own_strategies():
    used = {feature for spec in presets(DOMENG).values() for feature in spec.weights}
    assert set(DOMENG.features) - used == {"next_pass", "drain_pass", "lead_double"}


def test_preset__of_the_name_random_is_refused(monkeypatch, tmp_path):
    (tmp_path / "domeng.toml").write_text('[[strategy]]\nname = "random"\n')
    monkeypatch.setattr(spec_module, "PRESETS", tmp_path)
    spec_module._built_in.cache_clear()
    try:
        assert message("heaviest") == "domeng.toml: the name 'random' stands for the built-in strategy"
    finally:
        spec_module._built_in.cache_clear()


# --- One clear line for everything else -------------------------------------------------------------------------------


def test_unknown_name__lists_the_known_ones_close_matches_first():
    said = message("heavyest")
    assert said.startswith(
        "domeng has no strategy 'heavyest'; did you mean heaviest? known: heaviest, random, lightest"
    )
    assert all(name in said for name in presets(DOMENG))
    assert "file.toml:name" in said
    assert "known: random," in message("xyzzy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "domeng has no strategy ''"),
        ("random@x", "after @ stands the number of a copy, 0 to 999999, as in random@1, not 'x'"),
        ("random@", "after @ stands the number of a copy, 0 to 999999, as in random@1, not ''"),
        ("random@-1", "not '-1'"),
        ("random@1000000", "not '1000000'"),
        ("random@²", "not '²'"),
        ("none.toml", "none.toml: No such file or directory"),
        ("none.toml:mine", "none.toml: No such file or directory"),
        ("none.py:choose", "none.py: No such file or directory"),
        ("someones", "domeng has no strategy 'someones'"),
        ("two.toml", "two.toml holds several strategies; name one of mine, other, as in two.toml:mine"),
        ("two.toml:mind", "two.toml has no strategy 'mind'; did you mean mine? known: mine, other"),
        ("mine.py", "mine.py: name the function too, one of choose, as in mine.py:choose"),
        ("mine.py:", "mine.py: name the function too, one of choose, as in mine.py:choose"),
        ("mine.py:chose", "mine.py has no function 'chose'; did you mean choose? known: choose"),
        ("someones.none:last", "no module 'someones.none'; a file is written with its ending"),
        ("nobody.ideas:last", "no module 'nobody.ideas': ModuleNotFoundError: No module named 'nobody'"),
        ("someones.ideas:first", "someones.ideas has no function 'first'"),
        ("someones.ideas:", "someones.ideas: name the function too, one of last"),
        ("itertools:count", "the module 'itertools' has no Python source"),
        ("not a module:f", "'not a module' is neither a file nor a module"),
        (":f", "'' is neither a file nor a module"),
    ],
)
def test_text__that_names_nothing_is_refused_in_words(files, text, said):
    assert said in message(text)


def test_folder__in_place_of_a_file_is_refused(files):
    (files / "folder.toml").mkdir()
    assert message("folder.toml") == "folder.toml: Is a directory"


def test_bytes__that_are_no_text_are_refused(files):
    (files / "one.toml").write_bytes(b"\xff\xfe")
    assert message("one.toml") == "one.toml is not UTF-8 text: invalid start byte at byte 0"
    (files / "mine.py").write_bytes(b"a = '\x00'")
    assert message("mine.py:choose").startswith("mine.py is no Python source") or "null" in message("mine.py:choose")


def entry(rest="", weights=""):
    return f'[[strategy]]\nname = "mine"\n{rest}\n[strategy.weights]\n{weights}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "x.toml holds no strategy; an entry begins with [[strategy]]"),
        ("strategy = 3", "x.toml holds no strategy; an entry begins with [[strategy]]"),
        ("strategy = [1]", "x.toml holds no strategy; an entry begins with [[strategy]]"),
        ('[strategy]\nname = "mine"', "x.toml: an entry begins with [[strategy]], in double brackets"),
        ("[mine]\npips = 1", "x.toml: no key 'mine' at the top; entries begin with [[strategy]]"),
        ('game = "draw"\n' + entry(), "x.toml holds strategies of the game 'draw', not of domeng"),
        ("[[strategy]]\nname = mine\n", "x.toml is not valid TOML: Invalid value (at line 2, column 8)"),
        ("[[strategy]]\nweights = { pips = 1 }", "x.toml, strategy 1: name must be a text of letters"),
        ("[[strategy]]\nname = 3", "beginning with a letter, not 3"),
        ('[[strategy]]\nname = "a b"', "beginning with a letter, not 'a b'"),
        (entry() + entry(), "x.toml: the name 'mine' stands twice"),
        (entry("sumary = 'x'"), "x.toml: mine: no key 'sumary'; did you mean summary? known: summary, name, source"),
        (entry("summary = 3"), "x.toml: mine: summary must be a text, not 3"),
        (entry("source = true"), "x.toml: mine: source must be a text, not true"),
        (
            '[[strategy]]\nname = "mine"\nweights = 3',
            "x.toml: mine: weights must be a table of features and numbers, not 3",
        ),
        (entry(weights="pip = 1"), "x.toml: mine: domeng has no feature 'pip'; did you mean pips? known: pips, double"),
        (entry(weights="pips = 0.0001"), "x.toml: mine: weight of pips may have at most 3 decimals, not 0.0001"),
        (entry(weights="pips = 1.2345"), "x.toml: mine: weight of pips may have at most 3 decimals, not 1.2345"),
        (
            entry(weights="pips = 1.0000000000000000000000000000000000001"),
            "may have at most 3 decimals, not 1.0000000000",
        ),
        (entry(weights="pips = 1e-999999"), "may have at most 3 decimals, not 1E-999999"),
        (entry(weights="pips = nan"), "x.toml: mine: weight of pips must be a finite number, not NaN"),
        (entry(weights="pips = -inf"), "x.toml: mine: weight of pips must be a finite number, not -Infinity"),
        (entry(weights="pips = 1e400"), "weight of pips must lie between -1000000 and 1000000, not 1E+400"),
        (entry(weights="pips = 1000001"), "weight of pips must lie between -1000000 and 1000000, not 1000001"),
        (
            entry(weights=f"pips = {10**100}"),
            "between -1000000 and 1000000, not 1000000000000000000000000000000000000000...",
        ),
        (entry(weights="pips = '1'"), "x.toml: mine: weight of pips must be a number, not '1'"),
        (entry(weights="pips = true"), "x.toml: mine: weight of pips must be a number, not true"),
        (entry(weights="pips = [1]"), "x.toml: mine: weight of pips must be a number, not [1]"),
        (entry(weights="pips = 2026-01-01"), "x.toml: mine: weight of pips must be a number, not datetime.date"),
        (entry("temperature = -1"), "x.toml: mine: temperature must be 0 or lie between 0.000001 and 1000000, not -1"),
        (entry("temperature = 1e-400"), "x.toml: mine: temperature must be 0 or lie between 0.000001 and 1000000"),
        (entry("temperature = nan"), "x.toml: mine: temperature must be a finite number, not NaN"),
        (entry("temperature = inf"), "x.toml: mine: temperature must be a finite number, not Infinity"),
        (entry("temperature = 'hot'"), "x.toml: mine: temperature must be a number, not 'hot'"),
        (entry("temperature = false"), "x.toml: mine: temperature must be a number, not false"),
    ],
)
def test_file__that_is_not_right_is_refused_in_words(files, content, said):
    (files / "x.toml").write_text(content)
    assert said in message("x.toml:mine")


def test_file__is_checked_whole_even_where_another_entry_is_named(files):
    (files / "x.toml").write_text(TWO + entry(weights="pips = 'x'").replace("mine", "third"))
    assert message("x.toml:other") == "x.toml: third: weight of pips must be a number, not 'x'"


@pytest.mark.parametrize(
    ("weights", "exact"),
    [
        ("pips = 1", 1000),
        ("pips = -0.001", -1),
        ("pips = 1e3", 10**6),
        ("pips = 1_000_000", 10**9),
        ("pips = 0.500000", 500),
    ],
)
def test_weights__are_exact(weights, exact):
    assert parse_entries(entry(weights=weights), "x", DOMENG)["mine"].weights == {"pips": exact}


@pytest.mark.parametrize("zero", ["0", "0.0", "-0.0", "0e-9999"])
def test_weights__of_zero_are_none(zero):
    found = parse_entries(entry(weights=f"pips = {zero}"), "x", DOMENG)["mine"]
    assert found.weights == {}
    assert found.content_hash == Entry("other", "", "", {}, 0.0).content_hash


def test_help_and_usage_errors__need_neither_compiler_nor_pandas():
    code = (
        "import sys; from domeng_sim.games import game; from domeng_sim.strategies.resolve import presets, resolve;"
        "presets(game('domeng'))\n"
        "try: resolve('nobody', game('domeng'))\n"
        "except ValueError: pass\n"
        "print([name for name in ('numba', 'pandas', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
