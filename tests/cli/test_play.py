"""The command `play`: whole games at a terminal and by lines, what is never shown, and how a game is left."""

from __future__ import annotations

import io
import itertools
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from domeng_sim.cli.numbers import Glyphs
from domeng_sim.cli.people import _judged
from domeng_sim.core.entries import EntryPoint
from domeng_sim.games import GAMES
from domeng_sim.positions.advise import Reviewed
from domeng_sim.positions.odds_result import MoveOdds, OddsResult
from domeng_sim.positions.replay import open_run
from domeng_sim.stats.estimate import Estimate
from tests.command_line import call, command, environment, manifest, one_line, process
from tests.terminal import Terminal

LEFT = "left; the game is kept. Go on with: domeng-sim play --resume --out"
MOVE, NEXT, ALONE, BEGIN = MARKS = (
    "move:",
    "Enter for the next round",
    "press Enter when nobody",
    "Enter to begin",
)
ASKING = "\x1b[?2004h"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)(?:;\d+)*m")
SEQUENCE = re.compile(r"\x1b\[[?>]?[0-9;]*[A-Za-z]")
TILE = re.compile(r"(\d)\|(\d)")

PLAYERS: list[Player] = []

Answer = Callable[["Player"], tuple[str, ...]]
"""The keys with which a decision is answered."""


@pytest.fixture(autouse=True)
def nobody_stays() -> Iterator[None]:
    """End what a test that failed has left."""
    yield
    while PLAYERS:
        player = PLAYERS.pop()
        if player.terminal.process.poll() is None:
            player.terminal.process.kill()
            player.end()


class Player:
    """Somebody who plays at a terminal, in whose place keys are pressed.

    Parameters
    ----------
    cwd
        Where the command runs.
    words
        Its options.
    size
        Columns and rows of the screen.
    """

    def __init__(self, cwd: Path, *words: object, size: tuple[int, int] = (80, 24), **variables: str) -> None:
        env = environment(**variables)
        env.pop("NO_COLOR", None) if "NO_COLOR" not in variables else None
        self.terminal = Terminal(command("play", *words), cwd, env, *size)
        PLAYERS.append(self)
        self._seen = 0
        self.screens: list[str] = []
        """What was written until a decision, since the screen was cleared."""

    @property
    def written(self) -> str:
        return self.terminal.written

    def next(self) -> str:
        """What is asked next; empty at the end."""

        def marks() -> list[str]:
            # each question turns this on once, however often its lines are drawn
            if self.written.count(ASKING) == self._seen:
                return []
            return [mark for mark in MARKS if mark in self.written.rsplit(ASKING, 1)[-1]]

        if not self.terminal.read_until(lambda: bool(marks())):
            return ""
        mark = marks()[0]
        self._seen = self.written.count(ASKING)
        if mark == MOVE:
            # the footer comes after it, with the last of what is drawn
            self.terminal.wait_for("leave")
            self.screens.append(self.written.rsplit("\x1b[3J", 1)[-1])
        elif mark == ALONE:
            # whoever comes to the keyboard sees nothing of what the one before saw
            assert not TILE.search(self.terminal.screen.text)
        return mark

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)

    def moves(self) -> list[str]:
        """The moves on the screen."""
        listed = re.findall(r"^.\s+\d+  (\S.*?)  +(?:ends )?\d and \d\b.*$", self.terminal.screen.text, re.MULTILINE)
        assert listed, self.terminal.screen.text
        return listed

    def play(self, answers: Iterator[Answer], most: int = 10_000) -> int:
        """Play so many decisions, or to the end; returns how many were made."""
        made = 0
        while made < most and (mark := self.next()):
            if mark == MOVE:
                made += 1
                self.press(*next(answers)(self))
            else:
                self.press("enter")
        return made

    def end(self) -> int:
        return self.terminal.end()


def by_number(player: Player) -> tuple[str, ...]:
    return (str(len(player.moves())), "enter")


def by_arrows(player: Player) -> tuple[str, ...]:
    return ("down", "up", "up", "home", "end", "down", "enter")


def by_tile(player: Player) -> tuple[str, ...]:
    return (player.moves()[-1], "enter")


def in_turn() -> Iterator[Answer]:
    return itertools.cycle([by_number, by_arrows, by_tile])


def events(directory: Path) -> list[dict[str, Any]]:
    rows = open_run(directory).rows(0)
    return [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]


def verified(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "verify", directory).status == 0
    assert manifest(directory)["status"] == "complete"


def n_choices(directory: Path) -> int:
    choices: Mapping[str, list[int]] = manifest(directory)["play"]["choices"]
    return sum(map(len, choices.values()))


SHORT = ["--rule", "max_rounds=2", "--seed", "11", "--pace", "0.001"]


def text_of(tile: int) -> str:
    hi = next(hi for hi in range(7) if (hi + 1) * (hi + 2) // 2 > tile)
    return f"{hi}|{tile - hi * (hi + 1) // 2}"


# --- At a terminal ----------------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("words", [["--game", "domeng", "--hints"], ["--game", "draw", "--rule", "table=10x6"]])
def test_whole_game__at_a_terminal_shows_nothing_that_a_player_may_not_know(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = Player(tmp_path, *words, *SHORT, "--ascii", "--out", "game")
    player.play(in_turn())
    assert player.end() == 0
    verified(tmp_path / "game", capsys)
    told = SEQUENCE.sub("", player.written).replace("\r", "")
    assert "The match is over" in told
    rounds = re.split(r"^\w+: match 0, game \d+, round \d+$", told, flags=re.MULTILINE)[1:]
    rows = events(tmp_path / "game")
    keys = list(dict.fromkeys((row["game"], row["round"]) for row in rows))
    assert len(rounds) == len(keys)
    for key, text in zip(keys, rounds, strict=True):
        assert_no_secret(text.split("The round is over")[0], [r for r in rows if (r["game"], r["round"]) == key])


def assert_no_secret(text: str, rows: list[dict[str, Any]]) -> None:
    """Tiles of others are first named where they are played."""
    own = {text_of(row["tile"]) for row in rows if row["seat"] == 0 and row["tile"] >= 0}
    played = {text_of(row["tile"]) for row in rows if row["event"] in ("lead", "play")}
    known = set(own)
    for tile in TILE.finditer(text):
        name = tile[0] if tile[1] >= tile[2] else f"{tile[2]}|{tile[1]}"
        if name not in known:
            assert name in played
            assert re.search(r"Seat \d \(\S+\) (leads|plays) \[$", text[: tile.start()]), text[: tile.end()][-300:]
            known.add(name)
    # not for want of looking
    assert known > own


def is_choice(hand: set[str], before: dict[str, Any]) -> bool:
    """Whether there was more than one move on a table without bounds; a single one is not asked for."""
    ends = {str(before["left_end"]), str(before["right_end"])}
    return before["event"] == "deal" or sum(end in tile for tile in hand for end in ends) > 1


@pytest.mark.compiled
def test_two_people__at_one_keyboard_never_see_the_tiles_of_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = Player(tmp_path, "--game", "draw", "--seat", "0,1", *SHORT, "--ascii", "--out", "game", NO_COLOR="1")
    player.play(in_turn())
    assert player.end() == 0
    verified(tmp_path / "game", capsys)
    rows = events(tmp_path / "game")
    hands: list[set[str]] = [set(), set()]
    screens = iter(player.screens)
    looked = 0
    for row, after in itertools.pairwise([*rows, rows[-1]]):
        if row["event"] == "deal" and row["step"] == 0:
            hands = [set(), set()]
        if row["event"] in ("deal", "draw"):
            hands[row["seat"]].add(text_of(row["tile"]))
        elif row["event"] in ("lead", "play"):
            hands[row["seat"]].remove(text_of(row["tile"]))
        if after["event"] in ("lead", "play") and after is not row and is_choice(hands[after["seat"]], row):
            shown = SEQUENCE.sub("", next(screens)).rsplit(f"round {after['round']}", 1)[-1]
            named = {t[0] if t[1] >= t[2] else f"{t[2]}|{t[1]}" for t in TILE.finditer(shown)}
            assert hands[after["seat"]] <= named
            assert not named & hands[1 - after["seat"]]
            looked += 1
    assert looked > 10 and next(screens, None) is None


@pytest.mark.compiled
def test_game__left_in_every_way_is_gone_on_with_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers, kept = in_turn(), 0
    first = ["--seat", "2", "--opponents", "random", "--rule", "max_rounds=8", "--seed", "12", "--pace", "0"]
    ways: list[tuple[tuple[str, ...], int | None]] = [
        (("c-c",), 130),
        (("c-d",), 0),
        (("q",), 0),
        (("quit", "enter"), 0),
        ((), signal.SIGTERM),
        ((), signal.SIGKILL),
    ]
    for number, (keys, status) in enumerate(ways):
        player = Player(tmp_path, *(["--resume", "--pace", "0"] if number else first), "--out", "game")
        assert player.play(answers, most=1) == 1
        assert player.next() == MOVE
        player.press(*keys)
        if keys:
            assert player.end() == status
            assert f"{LEFT} game" in " ".join(player.written.split())
        else:
            player.terminal.process.send_signal(status)
            assert player.end() == (143 if status == signal.SIGTERM else -signal.SIGKILL)
            assert "Traceback" not in player.written
        # moves that were the only ones are kept too
        assert n_choices(tmp_path / "game") > kept
        kept = n_choices(tmp_path / "game")
        assert call(capsys, "verify", tmp_path / "game").status == 0
    player = Player(tmp_path, "--resume", "--out", "game", "--pace", "0")
    player.play(answers)
    assert player.end() == 0
    verified(tmp_path / "game", capsys)
    played = [row for row in events(tmp_path / "game") if row["seat"] == 2 and row["event"] in ("lead", "play")]
    assert len(played) == n_choices(tmp_path / "game")


@pytest.mark.compiled
def test_decision__survives_nonsense_help_hints_and_other_sizes_of_the_window(tmp_path: Path) -> None:
    player = Player(tmp_path, *SHORT, "--out", "game", NO_COLOR="1")
    assert player.next() == BEGIN
    player.press("? pollo", "enter")
    assert player.next() == BEGIN
    assert "POLLO: A CAPPU whose last tile" in player.written
    player.press("enter")
    assert player.next() == MOVE
    for typed in ("xyz", "99", "9|9", "6|", "\u00b2", "p", "undo", "z" * 300):
        player.press(typed, "enter")
        assert player.next() == MOVE
    assert n_choices(tmp_path / "game") == 0
    assert "There is no undo" in player.written and "No voluntary PASS" in player.written
    assert "There is no move 99" in player.written
    player.press("?", "enter")
    assert player.next() == MOVE
    assert "How Domeng is played" in player.written
    player.press("? mattikeng", "enter")
    assert player.next() == MOVE
    assert "did you mean mattikkeng?" in player.written
    player.press("h")
    assert player.next() == MOVE
    said = " ".join(player.written.split())
    assert "nothing to choose" in said or ("wins %" in said and "; all play on as master" in said)
    player.terminal.resize(40, 10)
    assert player.next() == MOVE
    player.press("down", "up", "t")
    assert player.next() == MOVE
    player.terminal.wait_for("you:")
    assert len(player.moves()) >= 1
    player.terminal.resize(80, 24)
    assert player.next() == MOVE
    player.press("1", "enter")
    player.play(in_turn())
    assert player.end() == 0
    assert not COLOUR.search(player.written)
    assert "\x1b[?1049h" not in player.written  # nothing scrolls away with another screen


@pytest.mark.compiled
def test_keys__pressed_while_others_play_are_neither_shown_nor_taken_for_an_answer(tmp_path: Path) -> None:
    # seat 1 leads with this seed, so others play before the first decision
    player = Player(tmp_path, "--seed", "5", "--pace", "0.1", "--out", "game", NO_COLOR="1")
    assert player.next() == BEGIN
    player.press("enter")
    player.terminal.wait_for("leads")
    player.press("w", "w", "w", "enter")
    assert player.next() == MOVE
    assert "www" not in player.written
    assert "It was the only move." in player.written  # and was not asked for
    player.press("q")
    assert player.end() == 0
    assert "is no move" not in player.written


@pytest.mark.compiled
def test_small_screen__keeps_the_chain_in_sight(tmp_path: Path) -> None:
    player = Player(tmp_path, "--seed", "5", "--pace", "0", "--ascii", "--out", "game", size=(40, 12), NO_COLOR="1")
    assert player.next() == MOVE
    for _ in range(2):
        lines = player.terminal.screen.text.splitlines()
        # the newest tile, [6|1], above the menu
        assert any("#6|1#" in line for line in lines), player.terminal.screen.text
        assert len(player.moves()) > 1
        player.press("t")
        assert player.next() == MOVE
    player.press("q")
    assert player.end() == 0


# --- By lines ---------------------------------------------------------------------------------------------------------


def by_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str, *words: object
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    said = call(capsys, "play", *words)
    return said.status, said.out, said.err


@pytest.mark.compiled
@pytest.mark.parametrize(
    "words",
    [
        ["--games-per-match", "2"],
        ["--seat", "0,1,2,3,4"],
        ["--game", "draw", "--review"],
        ["--game", "draw", "--rule", "table=7x7", "--seat", "1"],
    ],
)
def test_lines__from_a_pipe_play_whole_games(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = by_lines(capsys, monkeypatch, "1\n" * 500, *words, *SHORT[:4], "--out", "game")
    assert status == 0, err
    assert "The match is over" in out and "\x1b" not in out and out.isascii() is False
    assert max(map(len, out.splitlines())) <= 80
    verified(tmp_path / "game", capsys)
    if "--review" in words:
        assert "Your decisions" in out


@pytest.mark.compiled
def test_lines__that_end_leave_the_game_which_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = by_lines(capsys, monkeypatch, "nonsense\n?\nh\n1\n", "--seed", "5", "--out", "game")
    assert status == 0 and f"{LEFT} game" in err
    assert "'nonsense' is no move" in out and "CAMAT" in out
    assert "It was the only move." in out
    kept = n_choices(tmp_path / "game")
    status, _, err = by_lines(capsys, monkeypatch, "", "--resume", "--out", "game")
    assert status == 0 and f"{LEFT} game" in err
    assert n_choices(tmp_path / "game") == kept


@pytest.mark.compiled
def test_resume__tells_the_round_under_way_and_not_those_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, out, _ = by_lines(capsys, monkeypatch, "1\n" * 7, "--game", "draw", "--seed", "1", "--out", "game")
    assert "game 0, round 0" in out
    under_way = max(int(number) for number in re.findall(r"game 0, round (\d+)$", out, re.MULTILINE))
    moves = 7
    while under_way == 0:
        _, out, _ = by_lines(capsys, monkeypatch, "1\n", "--resume", "--out", "game")
        under_way = max(int(number) for number in re.findall(r"game 0, round (\d+)$", out, re.MULTILINE))
        moves += 1
        assert moves < 40
    _, out, _ = by_lines(capsys, monkeypatch, "", "--resume", "--out", "game")
    assert re.findall(r"game 0, round (\d+)$", out, re.MULTILINE) == [str(under_way)]


@pytest.mark.compiled
def test_end_of_the_match__is_told_to_everybody_who_sat_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--game", "draw", "--rule", "target=1", "--seat", "0,1", "--seed", "9", "--review", "--out", "game"]
    status, out, err = by_lines(capsys, monkeypatch, "1\n" * 200, *words)
    assert status == 0, err
    assert out.count("Your decisions, by how often") == out.count("wins the game.") + out.count("win the game.") == 2


def judged(win: tuple[tuple[int, int, float], ...], played: int) -> str:
    """What the review says of a move among moves that win so often, lose so many points, and may be the best or not."""

    def estimate(value: float) -> Estimate:
        return Estimate(value, value - 0.01, value + 0.01, 0.95, "student", "share of rounds", 1000)

    moves = tuple(
        MoveOdds(
            f"move {number}",
            number,
            {"win": estimate(share), "points_net": estimate(net)},
            {} if number == 0 else {"win": estimate(share - win[0][0])},
            {},
            bool(tied),
        )
        for number, (share, net, tied) in enumerate(win)
    )
    odds = OddsResult(GAMES["draw"], None, moves, "sampled", 1000, 1, 0.95, "samples", 0.0)
    one = Reviewed(7, moves[played], moves[0], moves[played].differences.get("win"), odds, (5, 2))
    return _judged(one, Glyphs(plain=True))


def test_review__praises_no_move_that_only_comes_first_among_equals():
    assert judged(((0.5, 3, True), (0.4, 3, False)), 0).endswith(": the best")
    assert "better move 0, by 10" in judged(((0.5, 3, True), (0.4, 3, False)), 1)
    assert "as good as any" in judged(((0.5, 3, True), (0.5, 3, True)), 0)
    assert "the best" not in judged(((0.5, 3, True), (0.5, 3, True)), 0)
    # who wins as often may still lose fewer points
    assert "but move 1 -49.000 +-0.010 points, not -62.000 +-0.010" in judged(((0.0, -62, True), (0.0, -49, True)), 0)
    assert "but" not in judged(((0.0, -62, True), (0.0, -49, True)), 1)


@pytest.mark.compiled
def test_directory__gets_a_name_of_its_own_where_none_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        status, _, err = by_lines(capsys, monkeypatch, "q\n")
        assert status == 0 and "kept in domeng-play-" in err
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("domeng-play-")]) == 2


@pytest.mark.compiled
@pytest.mark.parametrize("redirection", ["< /dev/null", "<&-", "< /dev/null | head -1", "| head -1", "< lines >&-"])
def test_streams__that_are_closed_leave_the_game_cleanly(
    redirection: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lines").write_text("1\n" * 20)
    before = "" if "<" in redirection else "cat lines | "
    words = " ".join(command("play", *SHORT, "--out", "game"))
    script = f"set -o pipefail; {before}{words} {redirection}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert call(capsys, "verify", tmp_path / "game").status == 0


@pytest.mark.compiled
def test_dumb_terminal__is_asked_by_lines(tmp_path: Path) -> None:
    player = Player(tmp_path, *SHORT, "--out", "game")
    player.terminal.process.kill()
    player.end()
    words = ["env", "TERM=dumb", *command("play", *SHORT, "--out", "other")]
    terminal = Terminal(words, tmp_path, environment())
    terminal.wait_for("Enter to begin")
    terminal.press("\n")
    terminal.wait_for("move:")
    terminal.press("1\n", "q\n")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.written
    assert n_choices(tmp_path / "other") >= 1


# --- What cannot be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--seat 5", "--seat takes seats from 0 to 4"),
        ("--game draw --seat 2", "--seat takes seats from 0 to 1"),
        ("--seat 0,0", "--seat takes seats, each once"),
        ("--seat x", "--seat takes seats"),
        ("--seat -1", "--seat takes seats"),
        ("--opponents random,random", "one for each of the 4 other seats, not 2"),
        ("--opponents random,random,random,random,random", "one for each of the 4 other seats, not 5"),
        ("--opponents nobody", "has no strategy 'nobody'"),
        ("--opponents person", "a person sits down with"),
        ("--seat 0,1 --game draw --opponents random", "--opponents has nobody to play"),
        ("--rule bad", "--rule"),
        ("--rule bad=1", "has no rule 'bad'"),
        ("--rule stones=x", "rule stones must be"),
        ("--resume", "--resume goes with --out only"),
        ("--resume --out game --game draw", "--resume and --game do not go together"),
        ("--resume --out game --seed 1", "--resume and --seed do not go together"),
        ("--resume --out game --rule stones=1", "--resume and --rule do not go together"),
        ("--resume --out nowhere", "nowhere"),
        ("--resume --out full", "full"),
        ("--resume --out full/file", "file"),
        ("--out full", "full holds something already"),
        ("--out full/file", "full/file is a file"),
        ("--own-strategy unknown", "has no strategy 'unknown'"),
        ("--pace -1", "-1"),
        ("--pace nan", "nan"),
        ("--pace x", "x"),
        ("--seed -1", "--seed"),
        ("--games-per-match 0", "--games-per-match"),
        ("--game chess", "chess"),
        ("more", "more"),
    ],
)
def test_bad_option__is_one_line_and_writes_nothing(
    words: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    said = call(capsys, "play", *words.split())
    assert said.status == (3 if part.endswith("is a file") else 2)
    assert part in one_line(said)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.compiled
def test_run__is_no_game_and_a_game_is_no_place_for_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "run", "--matches", 1, "--seed", 1, "--out", "run", "--quiet", "--json").status == 0
    kept = manifest(tmp_path / "run")
    said = call(capsys, "play", "--resume", "--out", "run")
    assert said.status == 2 and "holds a run that nobody plays" in one_line(said)
    said = call(capsys, "play", "--out", "run")
    assert said.status == 2 and "run holds something already" in one_line(said)
    assert manifest(tmp_path / "run") == kept


def test_place__where_nothing_can_be_written_is_refused_before_anything_is_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EntryPoint, "prepared", lambda *_: pytest.fail("something was called"))
    (tmp_path / "file").write_text("mine")
    said = call(capsys, "play", "--out", tmp_path / "file" / "game")
    assert said.status == 3 and "is a file" in one_line(said)


@pytest.mark.parametrize("words", ["--help", "--seat 9", "--opponents nobody", "--resume"])
def test_play__is_instant_where_nothing_is_played(words: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom domeng_sim.cli import main\n"
        f"status = main(['play', *{words.split()!r}])\n"
        "heavy = {'numba', 'rich', 'prompt_toolkit', 'pandas', 'pyarrow', 'scipy', 'numpy'}\n"
        "print(status, *sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    said = process(cwd=tmp_path, python=["-c", code])
    assert said.err.splitlines()[-1] == ("0" if words == "--help" else "2")
