"""Whatever is wrong with what was asked for is told in one line, before anything is written or removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import call, contents, one_line

SEATS = "random,random,random,random"
BIG = "9" * 5000

# words of the command, and what the line must say: what is wrong, and what would be right
OPTIONS = {
    "matches 0": ("--matches 0", "takes a whole number from 1 to 1000000000000000, not '0'"),
    "matches negative": ("--matches -3", "takes a whole number from 1 to 1000000000000000, not '-3'"),
    "matches a fraction": ("--matches 1.5", "takes a whole number from 1 to 1000000000000000 (a thousand is 1000,"),
    "rounds with points": ("--rounds 1.000", "(a thousand is 1000, 1_000, 1,000 or 1e3), not '1.000'"),
    "matches a word": ("--matches many", "takes a whole number from 1 to 1000000000000000, not 'many'"),
    "matches empty": ("--matches=", "takes a whole number from 1 to 1000000000000000, not ''"),
    "matches not a number": ("--matches nan", "takes a whole number from 1 to 1000000000000000, not 'nan'"),
    "matches huge": ("--matches 1e16", "from 1 to 1000000000000000"),
    "matches beyond all": (f"--matches {BIG}", "takes a whole number from 1 to"),
    "matches grouped wrongly": ("--matches 1,00", "takes a whole number from 1 to 1000000000000000, not '1,00'"),
    "rounds 0": ("--rounds 0", "takes a whole number from 1 to 1000000000000000, not '0'"),
    "rounds 1e30": ("--rounds 1e30", "takes a whole number from 1 to 1000000000000000, not '1e30'"),
    "rounds 1e-3": ("--rounds 1e-3", "takes a whole number from 1 to"),
    "rounds infinite": ("--rounds inf", "takes a whole number from 1 to"),
    "games per match 0": ("--games-per-match 0", "from 1 to 65535"),
    "games per match too many": ("--games-per-match 65536", "from 1 to 65535"),
    "rounds per match too many": ("--rounds-per-match 1e5", "from 1 to 65535"),
    "seed negative": ("--seed -1", "from 0 to 18446744073709551615"),
    "seed 2^64": ("--seed 18446744073709551616", "from 0 to 18446744073709551615"),
    "seed a fraction": ("--seed 1.5", "takes a whole number from 0 to 18446744073709551615 (a thousand"),
    "seed a word": ("--seed lucky", "takes a whole number from 0 to 18446744073709551615, not 'lucky'"),
    "seed hexadecimal": ("--seed 0xff", "takes a whole number from 0 to 18446744073709551615, not '0xff'"),
    "threads 0": ("--threads 0", "from 1 to 1024"),
    "threads too many": ("--threads 1025", "from 1 to 1024"),
    "matches and rounds": ("--matches 5 --rounds 100", "--matches and --rounds do not go together; give one"),
    "two lengths of a match": (
        "--games-per-match 5 --rounds-per-match 5",
        "--games-per-match and --rounds-per-match do not go together",
    ),
    "strategy and seats": (f"--strategy random --seats {SEATS},random", "--strategy and --seats do not go together"),
    "rule unknown": ("--rule stone=20", "has no rule 'stone'; it has opening_lead"),
    "rule without a value": ("--rule stones", "--rule takes name=value, such as stones=20"),
    "rule with an empty value": ("--rule stones=", "--rule takes name=value"),
    "rule with an empty name": ("--rule =3", "--rule takes name=value"),
    "rule out of range": ("--rule stones=256", "rule stones must be a whole number from 0 to 255, not '256'"),
    "rule negative": ("--rule stones=-1", "rule stones must be a whole number from 0 to 255"),
    "rule a fraction": ("--rule stones=2.5", "rule stones must be a whole number from 0 to 255"),
    "rule with an unknown reading": ("--rule passebunge=never", "rule passebunge must be every or first, not 'never'"),
    "rule twice": ("--rule stones=20 --rule stones=30", "the rule stones is given twice, as 20 and 30"),
    "max_rounds 0": ("--rule max_rounds=0", "rule max_rounds must be a whole number from 1 to 65535"),
    "four seats": (f"--seats {SEATS}", "--seats takes 5 strategies separated by commas, not 4"),
    "six seats": (f"--seats {SEATS},random,random", "--seats takes 5 strategies separated by commas, not 6"),
    "a seat empty": (f"--seats {SEATS},", "--seats takes names of strategies separated by commas"),
    "seats empty": ("--seats=", "--seats takes names of strategies separated by commas, not ''"),
    "strategy unknown": ("--strategy bankr", "no strategy 'bankr'; did you mean banker?"),
    "strategy empty": ("--strategy=", "takes the name of a strategy, not"),
    "strategy of spaces": ("--strategy=\u2003", "takes the name of a strategy, not"),
    "seat unknown": (f"--seats {SEATS},banke", "no strategy 'banke'; did you mean banker?"),
    "copy not a number": ("--strategy random@x", "after @ stands the number of a copy"),
    "strategy file missing": ("--strategy nowhere.toml:bold", "nowhere.toml"),
    "function file missing": ("--strategy nowhere.py:choose", "nowhere.py"),
    "function module missing": ("--strategy nowhere.at_all:choose", "no module 'nowhere.at_all'"),
    "strategy a directory": ("--strategy folder.toml:bold", "folder.toml"),
    "function not in its file": ("--strategy player.py:chose", "has no function 'chose'; did you mean choose?"),
    "function with a wrong signature": ("--strategy player.py:three", "takes (view, moves)"),
    "function file with an error": ("--strategy broken.py:choose", "broken.py, line 1"),
    "function that does not compile": ("--strategy player.py:text", "player.py:text"),
    "feature unknown": ("--strategy wrong.toml", "no feature 'pip'; did you mean pips?"),
    "game unknown": ("--game chess", "--game takes domeng, draw or block, not 'chess'"),
    "tables unknown": ("--tables all", "--tables takes summary, games, rounds or events, not 'all'"),
    "hands without rounds": ("--tables games --store-hands", "--store-hands: the hands stand in the table rounds"),
    "color unknown": ("--color pink", "--color takes auto, always or never, not 'pink'"),
    "option unknown": ("--match 5", "No such option '--match'"),
    "option without its value": ("--matches", "requires an argument"),
    "word too many": ("5", "unexpected extra argument"),
    "out empty": ("--out=", "takes the name of a directory, or an address as s3://bucket/run, not"),
    "resume without out": ("--resume", "--resume goes with --out only"),
    "overwrite without out": ("--overwrite", "--overwrite goes with --out only"),
    "resume and overwrite": ("--out new --resume --overwrite", "--resume and --overwrite do not go together"),
    "resume where nothing is": ("--out new --resume", "new does not exist"),
    "resume where something else is": ("--out folder.toml --resume", "is not a dataset of domeng-sim"),
    "resume a file": ("--out player.py --resume", "is not a dataset of domeng-sim"),
    "config missing": ("--config nowhere.toml", "nowhere.toml: No such file"),
    "config a directory": ("--config folder.toml", "folder.toml: Is a directory"),
    "save-config onto a file": ("--save-config player.py", "player.py exists already; name another file"),
    "save-config nowhere": ("--save-config no/where.toml", "no/where.toml: No such file"),
}  # fmt: skip

CONFIGS = {
    "no TOML": ("matches = ", "is not valid TOML"),
    "no text": (b"\xff\xfe", "is not valid TOML"),
    "unknown key": ("matchs = 5", "no option 'matchs'; there are cluster, color, game, games-per-match"),
    "key twice": ("games-per-match = 5\ngames_per_match = 6", "games_per_match stands there twice"),
    "matches a text": ('matches = "many"', "matches takes a whole number from 1 to 1000000000000000, not 'many'"),
    "matches a list": ("matches = [5]", "matches takes a whole number from 1 to 1000000000000000, not [5]"),
    "matches true": ("matches = true", "matches takes a whole number from 1 to 1000000000000000, not True"),
    "matches a fraction": ("matches = 1.5", "matches takes a whole number from 1 to 1000000000000000, not 1.5"),
    "matches infinite": ("matches = inf", "matches takes a whole number from 1 to 1000000000000000, not inf"),
    "matches and rounds": ("matches = 5\nrounds = 500", "matches and rounds do not go together; give one"),
    "strategy and seats": ('strategy = "random"\nseats = ["random"]', "strategy and seats do not go together"),
    "seed a wrong text": ('seed = "-1"', "seed takes a whole number from 0 to 18446744073709551615, not '-1'"),
    "seed 2^64": ("seed = 18446744073709551616", "from 0 to 18446744073709551615"),
    "seed beyond all": (f"seed = {'9' * 4200}", "not so large a number"),
    "seed with 5000 digits": (f"seed = {BIG}", "is not valid TOML"),
    "rules a text": ('rules = "stones"', "rules takes name=value, such as stones=20"),
    "rules nested": ("[rules.stones]\nvalue = 20", "rule stones must be a whole number from 0 to 255"),
    "rule unknown": ("[rules]\nstone = 20", "no rule 'stone'"),
    "rule a fraction": ("[rules]\nstones = 2.5", "rule stones must be a whole number"),
    "rule true": ("[rules]\nstones = true", "rule stones must be a whole number"),
    "seats a number": ("seats = 5", "seats takes names of strategies separated by commas, not"),
    "seats of numbers": ("seats = [1, 2, 3, 4, 5]", "seats takes names of strategies separated by commas, not"),
    "four seats": ('seats = ["random", "random", "random", "random"]', "seats takes 5 strategies"),
    "strategy a number": ("strategy = 5", "strategy takes the name of a strategy, not 5"),
    "strategy empty": ('strategy = ""', "takes the name of a strategy, not"),
    "hands a text": ('store-hands = "yes"', "store-hands takes true or false, not 'yes'"),
    "tables unknown": ('tables = "all"', "tables takes summary, games, rounds or events, not 'all'"),
    "tables a list": ('tables = ["games"]', "tables takes summary, games, rounds or events, not ['games']"),
    "game unknown": ('game = "chess"', "game takes domeng, draw or block, not 'chess'"),
    "threads 0": ("threads = 0", "threads takes a whole number from 1 to 1024, not 0"),
    "out a number": ("out = 5", "out takes the name of a directory, or an address as s3://bucket/run, not 5"),
    "out without a name": ('out = "\\u0000"', "takes the name of a directory, or an address as s3://bucket/run, not"),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some files that are no use, as the current one."""
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "folder.toml" / "note.txt").write_text("mine")
    (tmp_path / "player.py").write_text(
        "def choose(view, moves):\n    return 0\n\n"
        "def three(view, moves, more):\n    return 0\n\n"
        "def text(view, moves):\n    return 'first'\n"
    )
    (tmp_path / "broken.py").write_text("def choose(view, moves:\n")
    (tmp_path / "wrong.toml").write_text('[[strategy]]\nname = "bold"\n[strategy.weights]\npip = 1\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.compiled
@pytest.mark.parametrize("case", OPTIONS)
def test_run__says_what_is_wrong_with_an_option_and_writes_nothing(
    case: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, expected = OPTIONS[case]
    before = contents(place)
    said = call(capsys, "run", "--quiet", *words.split(" "))
    assert expected in one_line(said)
    assert len(said.err) < 600
    assert said.status == 2
    assert contents(place) == before
    assert len(list(place.iterdir())) == 4


@pytest.mark.parametrize("case", CONFIGS)
def test_run__says_what_is_wrong_with_a_configuration_and_writes_nothing(
    case: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, expected = CONFIGS[case]
    (place / "run.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    before = contents(place)
    said = call(capsys, "run", "--config", "run.toml")
    line = one_line(said)
    assert expected in line
    assert (
        "run.toml" in line
        or case in ("rules nested", "four seats", "strategy empty", "out without a name")
        or "rule" in case
    )
    assert len(said.err) < 600
    assert said.status == 2
    assert contents(place) == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rnu", "No such command 'rnu'"),
        ("--rounds 5", "No such option '--rounds'"),
        ("rules --game chess", "--game takes domeng, draw or block"),
        ("rules stones", "unexpected extra argument"),
        ("strategies bankr", "did you mean banker?"),
        ("strategies nowhere.toml", "nowhere.toml"),
        ("strategies a b", "unexpected extra argument"),
        ("verify", "Missing argument 'RUN'"),
        ("verify nowhere", "nowhere does not exist"),
        ("verify player.py", "is not a dataset of domeng-sim"),
        ("verify folder.toml", "is not a dataset of domeng-sim"),
    ],
)
def test_command_line__says_what_is_wrong_with_other_commands(
    words: str, expected: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = call(capsys, *words.split())
    assert expected in one_line(said)
    assert said.status == 2


def test_run__with_an_option_of_bytes_that_are_no_text_is_one_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = call(capsys, "run", "--strategy", "a\udcff\nb\x1b[31m")
    line = one_line(said)
    assert "\x1b" not in line
    assert said.status == 2
