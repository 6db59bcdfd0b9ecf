"""``domeng-sim show``."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from domeng_sim.cli.options import WholeNumber, make_config, parse_rules
from domeng_sim.cli.show_page import where_words
from domeng_sim.errors import BadInput, UserError
from domeng_sim.games import GAMES
from domeng_sim.games.types import StrategyError, Undecided
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED

if TYPE_CHECKING:
    from rich.console import Console

    from domeng_sim.games.shared.narrative import Look, Story
    from domeng_sim.positions.replay import Rows, Source

MOST_MATCHES = 10**15
ALL = "all"
_WHOLE_GAME = 1 << 30
_CONFIG = ("seed", "seats", "strategy", "rules", "games_per_match", "rounds_per_match")
"""Options of a configuration that never ran."""
_MOST_NAME, LEAST_WIDTH = 24, 20


def _parted_game(texts: Sequence[str]) -> tuple[str | None, int | None]:
    """What ``--game`` says: a name, a number, or one of each."""
    name, number = None, None
    for text in texts:
        if text in GAMES and name in (None, text):
            name = text
        elif text.isascii() and text.isdigit() and len(text) < 6 and number in (None, int(text)):
            number = int(text)
        else:
            raise BadInput(
                f"--game takes the number of a game in the match, or {' or '.join(GAMES)}, and each once; not {text!r}"
            )
    return name, number


def _round(text: str) -> int | None:
    """The number of the round; None for all."""
    if text == ALL:
        return None
    if text.isascii() and text.isdigit() and len(text) < 6:
        return int(text)
    raise BadInput(f"--round takes the number of a round in its game, or {ALL}, not {text!r}")


def _source(run: Path | None, name: str | None, match: int, trust: bool, options: Mapping[str, Any]) -> Source:
    """Where the match is from: a run, or a configuration."""
    given = [key for key in _CONFIG if options[key] is not None and options[key] != ()]
    if run is not None and given:
        word = "rule" if given[0] == "rules" else given[0].replace("_", "-")
        raise BadInput(f"--{word} does not go with {run}; the run has its own. Leave out one of them")
    if run is None and options["seed"] is None:
        raise BadInput("what is to be shown? Name the directory of a run, or give --seed (and --seats) to play a match")
    from domeng_sim.positions.replay import of_config, open_run

    if run is not None:
        source = open_run(run, None if trust else ())
        if name not in (None, source.spec.name):
            raise BadInput(f"{run} is a run of {source.spec.name}, not of {name}")
        return source
    for one, other in (("strategy", "seats"), ("games_per_match", "rounds_per_match")):
        if one in given and other in given:
            names = f"--{one.replace('_', '-')} and --{other.replace('_', '-')}"
            raise BadInput(f"{names} do not go together; give one of them")
    config = {key: options[key] for key in given} | {"rules": parse_rules(options["rules"]), "matches": match + 1}
    return of_config(make_config({**config, "game": name}))


def _viewers(no_hands: bool, as_seat: int | None, n_seats: int) -> frozenset[int] | None:
    """Whose hands are shown; None for all."""
    if no_hands and as_seat is not None:
        raise BadInput("--no-hands and --as-seat do not go together; give one of them")
    if as_seat is not None and as_seat >= n_seats:
        raise BadInput(f"--as-seat takes a seat from 0 to {n_seats - 1}, not {as_seat}")
    return frozenset() if no_hands else None if as_seat is None else frozenset({as_seat})


def _names(source: Source) -> dict[int, str]:
    """Names of the seats, with what plays there unless that is the same in all."""
    texts = [strategy.text for strategy in source.seats]
    if len(set(texts)) == 1:
        return {seat: f"seat {seat}" for seat in range(len(texts))}
    short = [text if len(text) <= _MOST_NAME else f"...{text[3 - _MOST_NAME :]}" for text in texts]
    return {seat: f"seat {seat} ({text})" for seat, text in enumerate(short)}


def _command(run: Path | None, source: Source, name: str | None, extra: Sequence[str]) -> list[str]:
    """Words of a command that shows of the same source; `extra` is what it shows."""
    words = ["domeng-sim", "show"]
    if run is not None:
        return [*words, str(run), *extra]
    words += ["--seed", str(source.seed)]
    if name is not None and name != "domeng":
        words += ["--game", name]
    texts = [strategy.text for strategy in source.seats]
    if len(set(texts)) > 1:
        words += ["--seats", ",".join(texts)]
    elif texts[0] != "random":
        words += ["--strategy", texts[0]]
    if source.rounds:
        words += ["--rounds-per-match", str(source.rounds)]
    elif source.games != 10:
        words += ["--games-per-match", str(source.games)]
    for rule in source.spec.rules:
        if source.rules[rule.name] != rule.default:
            words += ["--rule", f"{rule.name}={source.rules[rule.name]}"]
    return [*words, *extra]


def _spans(numbers: Sequence[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"only {numbers[0]}"


def _rows_and_keys(
    source: Source, match: int, game: int, round_: int | None
) -> tuple[Rows, list[tuple[int, int]], tuple[int, int] | None]:
    """The rows, the rounds that were asked for, and the round after them in the match."""
    from domeng_sim.positions.replay import keys_of

    rows = source.rows(match, (game, _WHOLE_GAME if round_ is None else round_))
    there = keys_of(rows)
    of_game = [key for key in there if key[0] == game]
    if not of_game:
        games = sorted({key[0] for key in there})
        raise BadInput(f"match {match} has no game {game}; its games: {_spans(games)}")
    asked = of_game if round_ is None else [(game, round_)]
    if asked[0] not in there:
        rounds = [key[1] for key in of_game]
        raise BadInput(f"game {game} of match {match} has no round {round_}; its rounds: {_spans(rounds)}")
    return rows, asked, next((key for key in there if key > asked[-1]), None)


def _events(rows: Rows, key: tuple[int, int], viewers: frozenset[int] | None) -> list[dict[str, Any]]:
    """Rows of a round as objects; tiles that are not seen are null."""
    at = [k for k, pair in enumerate(zip(rows["game"], rows["round"], strict=True)) if pair == key]
    events = [{name: column[k] for name, column in rows.items()} for k in at]
    for event in events:
        if event["event"] in ("deal", "draw") and viewers is not None and event["seat"] not in viewers:
            event["tile"] = None
    return events


def _look(console: Console, ascii_only: bool) -> Look:
    from domeng_sim.cli.show_page import CHARACTERS
    from domeng_sim.games.shared.narrative import Look

    try:
        CHARACTERS.encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    return Look(ascii_only, max(console.width, LEAST_WIDTH))


def _print_lines(console: Console, lines: Sequence[Any]) -> None:
    from rich.text import Text

    for line in lines:
        console.print(Text(line.text, line.style), no_wrap=True, overflow="ignore", crop=False)


def _facts(source: Source) -> str:
    """The seats, the rules and the seed in a line."""
    from domeng_sim.cli.render import rules_line, seats_line

    rules = rules_line(source.rules, {rule.name: rule.default for rule in source.spec.rules})
    return f"Seats: {seats_line([strategy.text for strategy in source.seats])}. Rules: {rules}. Seed: {source.seed}."


def _print_after(console: Console, commands: Mapping[str, Sequence[str]]) -> None:
    from rich.text import Text

    from domeng_sim.cli.render import print_command

    console.print()
    for label, words in commands.items():
        console.print(Text(f"{label}:", "dim"))
        print_command(console, shlex.join(words))


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _page_through(source: Source, stories: Sequence[Story], console: Console, look: Look) -> int:
    from domeng_sim.cli.pager import turn_pages
    from domeng_sim.cli.show_page import Line, page_lines, pages_of
    from domeng_sim.games.shared.narrative import Look

    pages = pages_of(stories)

    def lines(number: int, width: int, height: int) -> list[Line]:
        return page_lines(pages[number], source.telling, Look(look.ascii, max(width, LEAST_WIDTH), max(height, 1)))

    return turn_pages(len(pages), lines, color=console.color_system is not None)


def _show_json(
    source: Source, rows: Rows, stories: Sequence[Story], viewers: frozenset[int] | None, words: Sequence[str]
) -> None:
    from domeng_sim.runs.provenance import SCHEMA_VERSION

    rounds = [
        {
            "match": story.match,
            "game": story.game,
            "round": story.round,
            "outcome": story.outcome,
            "winner": story.winner,
            "events": _events(rows, (story.game, story.round), viewers),
        }
        for story in stories
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "command": shlex.join(words),
        "game": source.spec.name,
        "seed": str(source.seed),
        "rules": dict(source.rules),
        "seats": [strategy.text for strategy in source.seats],
        "rounds": rounds,
    }
    print(json.dumps(document, allow_nan=False, indent=1))


@click.command(
    epilog="The number before each step is that of the `events` table: `domeng-sim odds --from RUN --match M --game G "
    "--round R --step K` gives the odds of what could be played there."
)
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--match", type=WholeNumber(0, MOST_MATCHES), help="The match.  [default: 0]")
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="G|NAME",
    help="A number is that of the game in the match, a name says what is played; both may be given.  "
    "[default: 0; domeng]",
)
@click.option("--round", "round_", metavar="R|all", help="The round in its game.  [default: 0]")
@click.option("--find", metavar="WHAT", help="List where it happened: ceki, pollo, manguno, mattikkeng, camat; "
              "of Draw out, blocked, tied.")  # fmt: skip
@click.option("--limit", type=WholeNumber(1, 10**6), help="With --find: how many at most.  [default: 10]")
@click.option("--step", is_flag=True, help="Page through by arrow keys or Enter; without a terminal, print all.")
@click.option("--no-hands", is_flag=True, help="Show what everybody sees: no hands, no drawn tiles.")
@click.option("--as-seat", type=WholeNumber(0, 9), metavar="K", help="Show what this seat sees.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters.")
@click.option("--seed", type=WholeNumber(0, MAX_SEED), help="Without RUN: play the match with this seed.")
@click.option("--seats", metavar="A,B,C,D,E", help="With --seed: a strategy for each seat.")
@click.option("--strategy", metavar="S", help="With --seed: strategy of all seats.  [default: random]")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="With --seed: a rule; repeatable.")
@click.option(
    "--games-per-match", type=WholeNumber(1, MAX_PER_MATCH), help="With --seed: length in games.  [default: 10]"
)
@click.option("--rounds-per-match", type=WholeNumber(1, MAX_PER_MATCH), help="With --seed: length in rounds.")
@click.option("--trust", is_flag=True, help="Run the Python code of strategies that is stored in RUN.")
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but the result and errors.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour on the terminal.")
def command(
    run: Path | None,
    match: int | None,
    games: tuple[str, ...],
    round_: str | None,
    find: str | None,
    limit: int | None,
    step: bool,
    no_hands: bool,
    as_seat: int | None,
    ascii_only: bool,
    trust: bool,
    as_json: bool,
    quiet: bool,
    color: str,
    **options: Any,
) -> int:
    """Tell a round as it went: who played what and where, who gave which stone, how it ended and why.

    The round is one of RUN, a directory of `domeng-sim run` (what was not stored is played again from the seed), or,
    with --seed, of a match that need never have been played.

    \b
    Examples:
      domeng-sim show my-run --match 3
      domeng-sim show my-run --match 3 --game 1 --round 2 --step
      domeng-sim show my-run --find pollo --limit 5
      domeng-sim show --seed 7 --seats banker,random,random,random,random --round all
      domeng-sim show --seed 7 --game draw --rule table=10x6
    """
    name, game = _parted_game(games)
    if step and as_json:
        raise BadInput("--step and --json do not go together; give one of them")
    try:
        if find is not None:
            if run is None:
                raise BadInput("--find needs the directory of a run")
            asked = {"match": match, "game": game, "round": round_, "step": step or None}
            asked |= {"no-hands": no_hands or None, "as-seat": as_seat}
            wrong = [key for key, value in asked.items() if value is not None]
            if wrong:
                raise BadInput(f"--find looks through all matches; --{wrong[0]} does not go with it")
            from domeng_sim.cli.show_find import list_finds

            return list_finds(run, _source(run, name, 0, trust, options), find, limit or 10, as_json, quiet, color)
        if limit is not None:
            raise BadInput("--limit goes with --find")
        wanted = _round(round_ or "0")
        source = _source(run, name, match or 0, trust, options)
        viewers = _viewers(no_hands, as_seat, source.spec.seats)
        words = _command(run, source, name, [])
        view = ["--no-hands"] * no_hands + ([] if as_seat is None else ["--as-seat", str(as_seat)])
        view += ["--ascii"] * ascii_only
        return _show(
            source, words, view, (match or 0, game or 0, wanted), viewers, run, (ascii_only, as_json, step, color)
        )
    except Undecided as error:
        raise BadInput(f"a round is shown when it is over: {error}") from error
    except StrategyError as error:
        raise UserError(str(error)) from error


def _show(
    source: Source,
    words: Sequence[str],
    view: Sequence[str],
    asked: tuple[int, int, int | None],
    viewers: frozenset[int] | None,
    run: Path | None,
    how: tuple[bool, bool, bool, str],
) -> int:
    """Tell the rounds that were asked for."""
    match, game, round_ = asked
    ascii_only, as_json, step, color = how
    from domeng_sim.positions.replay import stories

    rows, keys, following = _rows_and_keys(source, match, game, round_)
    told_rounds = stories(source, rows, keys, _names(source), viewers)
    if as_json:
        here = where_words(match, game, ALL if round_ is None else round_)
        _show_json(source, rows, told_rounds, viewers, [*words, *here, *view, "--json"])
        return 0
    from domeng_sim.cli.render import terminal
    from domeng_sim.cli.show_page import Line, told, wrapped

    console = terminal(color)
    look = _look(console, ascii_only)
    status, is_interactive = 0, step and _is_interactive()
    if is_interactive:
        status = _page_through(source, told_rounds, console, look)
        if status:
            return status
    else:
        _print_lines(console, [Line(text) for text in wrapped(_facts(source), look.width)])
        for story in told_rounds:
            console.print()
            _print_lines(console, told(story, source.telling, look))
    after: dict[str, Sequence[str]] = {}
    paging = ["--step"] * is_interactive
    if following is not None:
        number: int | str = following[1] if round_ is not None else ALL
        after["next"] = [*words, *where_words(match, following[0], number), *view, *paging]
    elif run is None or source.matches is None or match + 1 < source.matches:
        number = 0 if round_ is not None else ALL
        after["the match is over; next"] = [*words, *where_words(match + 1, 0, number), *view, *paging]
    if run is not None and source.spec.odds is not None and not is_interactive:
        where = ["--match", str(match), "--game", str(game), "--round", str(keys[0][1])]
        after["odds before a step"] = [
            "domeng-sim",
            "odds",
            "--from",
            str(run),
            *where,
            "--step",
            _example(told_rounds),
        ]
    _print_after(console, after)
    return status


def _example(told_rounds: Sequence[Story]) -> str:
    """A step at which somebody plays."""
    steps = [step.at for step in told_rounds[0].steps if step.event == "play"]
    return str(steps[len(steps) // 2] if steps else 0)
