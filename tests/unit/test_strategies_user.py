"""Users' functions: loaded from their source text, compiled, and stopped with one clear line if something is wrong."""

from __future__ import annotations

import sys

import pytest

from domeng_sim.games import game
from domeng_sim.games.types import Seat, StrategyError, Task
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from domeng_sim.strategies.weighted import StrategySpecError

DOMENG = game("domeng")


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Write mine.py in the current folder and make a seat of its function."""
    monkeypatch.chdir(tmp_path)

    def load(code, name="choose"):
        (tmp_path / "mine.py").write_text(code)
        return seat(resolve(f"mine.py:{name}", DOMENG))

    return load


def play(seats, first=0, n=50):
    task = Task(
        DOMENG.resolve_rules({}), tuple(seats), seed=1, games=1, rounds=0, first_match=first, end_match=n, cluster=n
    )
    run = DOMENG.kernel().start(task)
    while run.advance(1000):
        pass
    return run.counts


def refusal(load, code, name="choose"):
    with pytest.raises(StrategySpecError) as caught:
        load(code, name)
    said = str(caught.value)
    assert "\n" not in said
    return said


def failure(function, n=50, others=None):
    with pytest.raises(StrategyError) as caught:
        play([others or function, others or function, function, others or function, others or function], 0, n)
    said = str(caught.value)
    assert "\n" not in said
    return said


# --- Refused before anything is played --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def choose(view): return 0", "mine.py:choose takes (view); a function takes (view, moves) and returns"),
        ("def choose(view, moves, luck): return 0", "mine.py:choose takes (view, moves, luck); a function takes"),
        ("def choose(view, moves, *, k): return 0", "mine.py:choose takes (view, moves, *, k); a function takes"),
        ("def choose(view, moves, k=0): return 0", "takes (view, moves, k=0); a function takes"),
        ("def choose(*everything): return 0", "takes (*everything); a function takes"),
        ("def choose(view, moves, **k): return 0", "takes (view, moves, **k); a function takes"),
        ("x = (1", "mine.py, line 1: '(' was never closed"),
        ("x = 1\n\ndef choose(view, moves):\nreturn 0", "mine.py, line 4: expected an indented block"),
        ("choose = 3", "mine.py: choose is no function but int; a function takes (view, moves)"),
        ("class choose: pass", "mine.py has no function 'choose'; known:"),
        ("async def choose(view, moves): return 0", "mine.py has no function 'choose'"),
        ("choose = lambda view: 0", "mine.py:choose takes (view); a function takes"),
        ("from math import sqrt as choose", "mine.py: choose is no function but builtin_function_or_method"),
        (
            "import nowhere_to_be_found\ndef choose(view, moves): return 0",
            "mine.py, line 1: ModuleNotFoundError: No module",
        ),
        ("def choose(view, moves): return 0\n1 / 0", "mine.py, line 2: ZeroDivisionError: division by zero"),
        ("import sys\ndef choose(view, moves): return 0\nsys.exit('bye')", "mine.py, line 3: SystemExit: bye"),
        ("raise RuntimeError('not today')", "mine.py, line 1: RuntimeError: not today"),
        ("from nowhere_to_be_found import *", "mine.py, line 1: ModuleNotFoundError: No module named 'nowhere_to"),
        ("if False:\n    def choose(view, moves): return 0", "mine.py: choose is no function but NoneType"),
    ],
)
def test_file__in_which_something_is_wrong_is_refused_in_words(loaded, code, said):
    assert said in refusal(loaded, code)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 'a'", "strategy mine.py:choose must return the position of a move, a whole number, and returns "),
        ("return 0.5", "must return the position of a move, a whole number, and returns float64"),
        ("return None", "must return the position of a move, a whole number, and returns none"),
        (
            "return moves.tile",
            "must return the position of a move, a whole number, and returns readonly array(int64, 1d, C)",
        ),
        ("return moves.n > 1", "must return the position of a move, a whole number, and returns bool"),
        (
            "return view.hands",
            "strategy mine.py:choose does not compile: Unknown attribute 'hands' of type DomengObservation",
        ),
        ("return nothing_known", "does not compile: NameError: name 'nothing_known' is not defined"),
        ("view.stones[0] = 3\n    return 0", "does not compile: NumbaTypeError: Cannot modify readonly array"),
        ("view.hand = 3\n    return 0", "does not compile: "),
        ("return choose(view, moves)", "does not compile: "),
        (
            "return helper(view)\n\ndef helper(view):\n    return 0",
            "does not compile: it calls helper, which needs @njit (line 3)",
        ),
        ("if moves.n < 3:\n        return 0", "must always return the position of a move, and may return None"),
        (
            "return np.random.randint(moves.n)",
            "strategy mine.py:choose draws random numbers of its own",
        ),
        ("return random.randint(0, moves.n - 1)", "take them from view.uniform"),
        ("with open('x') as f: return 0", "does not compile: "),
    ],
)
def test_function__that_cannot_be_compiled_is_refused_in_words(loaded, body, said):
    told = refusal(loaded, f"import random; import numpy as np\ndef choose(view, moves):\n    {body}\n")
    assert said in told


@pytest.mark.compiled
def test_random_numbers__are_found_in_helpers_too(loaded):
    code = (
        "import numpy as np\nfrom numba import njit\n\n"
        "@njit\ndef drawn(n):\n    return np.random.randint(n)\n\n"
        "@njit\ndef choose(view, moves):\n    return drawn(moves.n)\n"
    )
    assert "draws random numbers of its own" in refusal(loaded, code)


# --- Stopped while playing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", ["-1", "moves.n", "10**18", "-2**63 + 1"])
def test_position__that_does_not_exist_stops_the_run(loaded, k):
    function = loaded(f"def choose(view, moves):\n    return {k}\n")
    said = failure(function, others=Seat({}))
    assert said.startswith("strategy mine.py:choose (seat 2) chose move ")
    assert "which is none of 0 to " in said and " legal moves, match 0, game 0, round " in said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 // int(view.seat - view.seat)", "ZeroDivisionError"),
        ("return moves.tile[20]", "IndexError"),
        ("return moves.tile[moves.n]", "IndexError"),
        ("return view.history.seat[view.history.n]", "IndexError"),
        ("if moves.n: raise ValueError('I do not know')\n    return 0", "ValueError: I do not know (line 2)"),
        ("assert view.seat == 7, 'not me'\n    return 0", "AssertionError: not me (line 2)"),
    ],
)
def test_error__in_a_function_stops_the_run_and_says_which(loaded, body, said):
    function = loaded(f"def choose(view, moves):\n    {body}\n")
    told = failure(function)
    assert f" raised {said}" in told
    assert told.endswith(("round 0", "round 1", "round 2"))


def test_view__cannot_be_written_to(loaded):
    # refused by the compiler, or, where it is off, by numpy
    with pytest.raises((StrategySpecError, StrategyError), match=r"read-?only"):
        play([loaded("def choose(view, moves):\n    view.stones[0] = 0\n    return 0\n")] * 5)


def test_failure__names_the_first_match_in_which_it_happened(loaded):
    # so many stones are rare: some matches pass before seat 2 holds them
    function = loaded("def choose(view, moves):\n    return -5 if view.stones[2] == 14 else 0\n")
    said = failure(function, 200)
    match = int(said.partition("match ")[2].partition(",")[0])
    assert match > 0
    play([function] * 5, 0, match)
    with pytest.raises(StrategyError, match=f"match {match}, "):
        play([function] * 5, match, match + 1)


def test_failure__of_one_run_does_not_spoil_the_next(loaded):
    bad = loaded("def choose(view, moves):\n    return -1\n")
    failure(bad)
    good = loaded("def choose(view, moves):\n    return 0\n")
    assert play([good] * 5).sum() > 0


# --- Loading ----------------------------------------------------------------------------------------------------------


def test_file__is_left_alone(loaded, tmp_path):
    play([loaded("def choose(view, moves):\n    return 0\n")] * 5)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_module__of_the_current_folder_may_import_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(tmp_path))  # as an installed package would be found
    (tmp_path / "neighbours").mkdir()
    (tmp_path / "neighbours" / "__init__.py").write_text("")
    (tmp_path / "neighbours" / "other.py").write_text("FIRST = 0\n")
    (tmp_path / "neighbours" / "ideas.py").write_text(
        "from neighbours.other import FIRST\nfrom .other import FIRST as SAME\n\n"
        "def choose(view, moves):\n    return FIRST + SAME\n"
    )
    play([seat(resolve("neighbours.ideas:choose", DOMENG))] * 5)
    for name in [name for name in sys.modules if name.startswith("neighbours")]:
        del sys.modules[name]


def test_search_path__is_as_it_was(loaded):
    before = list(sys.path)
    with pytest.raises(StrategySpecError):
        resolve("nowhere.ideas:choose", DOMENG)
    assert sys.path == before


def test_function__is_compiled_once_in_a_process(loaded):
    code = "def choose(view, moves):\n    return 0\n"
    assert loaded(code).function is loaded(code).function
    assert loaded(code + "\n").function is not loaded(code).function
