"""Search players by text and by file: what is accepted, what it stands for, and one clear line for everything else."""

from __future__ import annotations

import json
import pickle

import pytest

from domeng_sim.comparisons.design import same_play
from domeng_sim.games import game
from domeng_sim.games.types import Model, Search
from domeng_sim.strategies.resolve import presets, resolve
from domeng_sim.strategies.spec import StrategySpec, seat
from domeng_sim.strategies.weighted import StrategySpecError

DOMENG = game("domeng")
FILE = """
[[strategy]]
name = "deep"
[strategy.search]
n = 300
base = "banker"
value = "stones"

[[strategy]]
name = "own"
search = {}
weights = { double = 3, next_pass = 0.5 }

[[strategy]]
name = "nested"
search = { base = "search.toml:deep" }

[[strategy]]
name = "itself"
search = { base = "search.toml:itself" }
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.toml").write_text(FILE)
    (tmp_path / "mine.py").write_text("def choose(view, moves):\n    return 0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "name", "n", "value", "base"),
    [
        ("search", "search", 100, "camat", "master"),
        ("search+n=100", "search", 100, "camat", "master"),
        ("search+n=1", "search+n=1", 1, "camat", "master"),
        ("search+n=10000", "search+n=10000", 10_000, "camat", "master"),
        ("search+value=stones+n=30", "search+n=30+value=stones", 30, "stones", "master"),
        ("search+base=banker", "search+base=banker", 100, "camat", "banker"),
        ("search+base=random", "search+base=random", 100, "camat", "random"),
        ("search+base=careless", "search+base=careless", 100, "camat", "careless"),
        (" search+ n = 7 ", "search+n=7", 7, "camat", "master"),
        ("search+n=7@3", "search+n=7", 7, "camat", "master"),
        ("search.toml:deep", "deep", 300, "stones", "banker"),
        ("search.toml:deep@3", "deep", 300, "stones", "banker"),
        ("search.toml:own", "own", 100, "camat", ""),
    ],
)
def test_texts__name_a_search_player(text, name, n, value, base):
    spec = resolve(text, DOMENG)
    assert (spec.text, spec.kind, spec.name, spec.base) == (text, "search", name, base)
    assert seat(spec).search == Search(n, value)
    assert spec.copy == (3 if text.endswith("@3") else 0)
    if base:
        assert spec.weights == presets(DOMENG)[base].weights
        assert spec.temperature == presets(DOMENG)[base].temperature
    else:
        assert spec.weights == {"double": 3000, "next_pass": 500}


@pytest.mark.parametrize("text", ["search", "search+n=3+base=careless@2", "search.toml:own", "search.toml:deep"])
def test_manifest__gives_the_search_player_back(text):
    spec = resolve(text, DOMENG)
    assert StrategySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(spec) == hash(resolve(text, DOMENG))


def test_content_hash__is_of_what_is_played():
    texts = ["search", "search+n=30", "search+value=stones", "search+base=banker", "master", "banker"]
    assert len({resolve(text, DOMENG).content_hash for text in texts}) == len(texts)
    same = resolve("search.toml:deep", DOMENG), resolve("search+base=banker+n=300+value=stones", DOMENG)
    assert same[0].content_hash == same[1].content_hash
    assert same_play(*same)
    assert not same_play(resolve("search", DOMENG), resolve("master", DOMENG))
    assert not same_play(resolve("search", DOMENG), resolve("search@1", DOMENG))
    assert not same_play(resolve("search", DOMENG), resolve("search+n=99", DOMENG))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("search+", "'' must be name=value"),
        ("search+n", "'n' must be name=value"),
        ("search+n=", "'n=' must be name=value"),
        ("search+=3", "has no ''"),
        ("search+n=0", "from 1 to 10000, not 0"),
        ("search+n=10001", "from 1 to 10000, not 10001"),
        ("search+n=-5", "from 1 to 10000"),
        ("search+n=1e3", "from 1 to 10000"),
        ("search+n=1.5", "from 1 to 10000"),
        ("search+n=³", "from 1 to 10000"),
        ("search+n=" + "9" * 5000, "from 1 to 10000"),
        ("search+n=many", "not 'many'"),
        ("search+n=3+n=3", "'n' is given twice"),
        ("search+m=3", "has no 'm'; known: n, base, value, infer"),
        ("search+infer=nobody", "no strategy 'nobody'"),
        ("search+infer=", "'infer=' must be name=value"),
        ("search+infer=search", "judged by a strategy that plays by weights, not search"),
        ("search+infer=mine.py:choose", "plays by weights, not mine.py:choose"),
        ("search+infer=person", "no strategy of other commands"),
        ("search+valu=stones", "did you mean value?"),
        ("search+value=CAMAT", "value must be camat or stones"),
        ("search+value=win", "value must be camat or stones"),
        ("search+base=nobody", "no strategy 'nobody'"),
        ("search+base=search", "plays by weights, not search"),
        ("search+base=search+n=3+base=x", "'base' is given twice"),
        ("search+base=person", "no strategy of other commands"),
        ("search+base=mine.py:choose", "plays by weights, not mine.py:choose"),
        ("search+base=none.toml", "none.toml: No such file"),
        ("search+n=3@", "number of a copy"),
        ("search+n=3@1000000", "number of a copy"),
        ("search++n=3", "'' must be name=value"),
        ("search-n=3", "no strategy 'search-n=3'; did you mean search?"),
        ("Search", "did you mean search?"),
        ("search.toml:nested", "search.toml:deep searches, so it is no base"),
        ("search.toml:itself", "search.toml:itself searches, so it is no base"),
        ("search.toml:deeep", "did you mean deep?"),
    ],
)
def test_wrong_texts__are_refused_in_one_line(text, says):
    with pytest.raises(StrategySpecError) as caught:
        resolve(text, DOMENG)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("search", "says"),
    [
        ("search = 300", "search must be a table"),
        ("search = true", "search must be a table"),
        ("search = { n = 0 }", "n must be a whole number from 1 to 10000, not 0"),
        ("search = { n = true }", "not true"),
        ("search = { n = 2.0 }", "not 2.0"),
        ('search = { n = "30" }', "not '30'"),
        ("search = { depth = 3 }", "has no 'depth'"),
        ("search = { value = 1 }", "value must be camat or stones, not 1"),
        ("search = { base = 1 }", "base must be the name of a strategy, not 1"),
        ("search = { infer = true }", "infer must be the name of a strategy, not true"),
        ('search = { infer = "" }', "infer must be the name of a strategy"),
        ('search = { infer = "master@1" }', "plays by weights, not master@1"),
        ('search = { base = " " }', "base must be the name of a strategy"),
        ('search = { base = "master@1" }', "plays by weights, not master@1"),
        ('search = { base = "master" }\nweights = { pips = 1 }', "a base or weights of its own, not both"),
    ],
)
def test_wrong_entries__are_refused_in_one_line(files, search, says):
    (files / "wrong.toml").write_text(f'[[strategy]]\nname = "wrong"\n{search}\n')
    with pytest.raises(StrategySpecError) as caught:
        resolve("wrong.toml", DOMENG)
    assert says in str(caught.value)
    assert "wrong" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "base"), [("draw", "starver"), ("block", "stopper")])
def test_other_games__have_search_players_of_their_own(name, base):
    spec = resolve("search+n=7", game(name))
    assert (spec.base, seat(spec).search, spec.weights) == (
        base,
        Search(7, "points"),
        presets(game(name))[base].weights,
    )
    assert StrategySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    for text, says in (
        ("search+value=camat", "value must be points or rounds, not 'camat'"),
        ("search+infer=random", "a search has no 'infer'"),
        ("search+base=master", "has no strategy 'master'"),
    ):
        with pytest.raises(StrategySpecError, match=says):
            resolve(text, game(name))


def test_infer__names_a_model_that_is_softened_unless_it_is_soft():
    sharp, soft = (resolve(f"search+infer={name}", DOMENG) for name in ("master", "careless"))
    assert seat(sharp).search.model == Model(presets(DOMENG)["master"].weights, 2.0)
    assert seat(soft).search.model == Model(
        presets(DOMENG)["careless"].weights, presets(DOMENG)["careless"].temperature
    )
    assert seat(resolve("search+infer=random", DOMENG)).search.model == Model({}, 2.0)
    assert (sharp.infer, sharp.name) == ("master", "search+infer=master")
    assert len({resolve(text, DOMENG).content_hash for text in ("search", sharp.text, soft.text)}) == 3
    record = json.loads(json.dumps(sharp.to_json()))
    assert StrategySpec.from_json(record) == sharp
    record["search"]["model"]["weights_thousandths"]["double"] += 1
    with pytest.raises(ValueError, match="digest"):
        StrategySpec.from_json(record)
