"""``domeng-sim odds``."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from domeng_sim.cli.options import WholeNumber, available_cores, parse_rules, split_seats
from domeng_sim.cli.say import tell
from domeng_sim.errors import BadInput, Interrupted, UserError
from domeng_sim.games import GAMES, game
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import PositionError, RuleValue
from domeng_sim.runs.config import MAX_SEED
from domeng_sim.strategies.resolve import StrategySpec, resolve, seat

if TYPE_CHECKING:
    from domeng_sim.positions.odds_result import Odds

DEFAULT_GAME = "domeng"
RANDOM = "random"
MOST_SAMPLES = 10**9


def _file_texts(path: str) -> dict[str, str]:
    """A position from a file or, for ``-``, from the standard input: a line ``name: value`` for each part."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {os.strerror(error.errno or 0)}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text file") from error
    texts: dict[str, str] = {}
    last = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and last:
            texts[last] += " " + line.strip()
            continue
        name, mark, value = _parted(line)
        if not mark:
            raise BadInput(f"{path}, line {number}: write name: value, as in hand: 6|5 5|5, not {line!r}")
        last = name.strip().lower().replace("_", "-")
        if last in texts:
            raise BadInput(f"{path}, line {number}: {last} is given twice")
        texts[last] = value.strip()
    return texts


def _parted(line: str) -> tuple[str, str, str]:
    """Name and value of a line: parted by the first ``:`` or ``=``, as both are in use."""
    marks = [line.index(mark) for mark in ":=" if mark in line]
    at = min(marks, default=-1)
    return (line[:at], line[at], line[at + 1 :]) if at >= 0 else (line, "", "")


def _fields() -> dict[str, dict[str, Field]]:
    """What positions of the games are written with: by name, then by title of the games that have it."""
    found: dict[str, dict[str, Field]] = {}
    for spec in GAMES.values():
        for name, field in (spec.odds().fields if spec.odds else {}).items():
            found.setdefault(name, {})[spec.title] = field
    return found


def _field_options(function: Any) -> Any:
    """Decorate a command with the options that positions of any game are written with."""
    fields = _fields()
    n_games = max((len(by_game) for by_game in fields.values()), default=0)
    for name, by_game in reversed(fields.items()):
        field = next(iter(by_game.values()))
        is_same = len(by_game) == n_games and len(set(by_game.values())) == 1
        told = [f"{title}: {its.sentence}" for title, its in by_game.items()]
        help_text = field.sentence if is_same else " ".join(told)
        if name == "seat":
            option = click.option("--seat", type=WholeNumber(0, 9), help=help_text)
        elif field.is_flag:
            option = click.option(f"--{name}", is_flag=True, help=help_text)
        else:
            option = click.option(f"--{name}", metavar=field.metavar, help=help_text)
        function = option(function)
    return function


def _field_texts(options: Mapping[str, Any]) -> dict[str, str]:
    """What was given of a position, by name."""
    given = {name: options[name.replace("-", "_")] for name in _fields()}
    texts = {name: "yes" if value is True else str(value) for name, value in given.items()}
    return {name: text for name, text in texts.items() if given[name] is not None and given[name] is not False}


def _given_position(
    options: Mapping[str, Any], rule_texts: tuple[str, ...]
) -> tuple[GameSpec, dict[str, RuleValue], Any]:
    """The game, its rules and the position that the options describe."""
    texts = _file_texts(options["position"]) if options["position"] else {}
    texts |= _field_texts(options)
    if not texts:
        raise BadInput(
            "which position? Give --hand and --log, or --position FILE, or --from RUN; --help shows examples"
        )
    for name in ("match", "round", "step"):
        if options[f"at_{name}"] is not None:
            raise BadInput(f"--{name} goes with --from RUN")
    if options["open_hands"]:
        raise BadInput("--open goes with --from RUN; give known hands by --hands")
    try:
        spec = game(options["game"] or DEFAULT_GAME)
        rules = spec.resolve_rules(parse_rules(rule_texts))
    except ValueError as error:
        raise BadInput(str(error)) from error
    if spec.odds is None:
        raise BadInput(f"there are no odds for positions of {spec.title} yet")
    fields = spec.odds().fields
    for name in texts:
        if name not in fields:
            raise BadInput(f"a position of {spec.title} has no {name!r}; it has {', '.join(fields)}")
    try:
        return spec, rules, spec.odds().read(texts, rules)
    except PositionError as error:
        raise BadInput(str(error)) from error


def _stored_position(
    options: Mapping[str, Any], rule_texts: tuple[str, ...]
) -> tuple[GameSpec, dict[str, RuleValue], Any]:
    """The position of a run's step."""
    given = ["position"] * (options["position"] is not None)
    given += [name for name in _field_texts(options) if name != "seat"] + ["rule"] * bool(rule_texts)
    if given:
        raise BadInput(f"--{given[0]} does not go with --from; the run has it")
    missing = [f"--{name}" for name in ("match", "round", "step") if options[f"at_{name}"] is None]
    if missing:
        raise BadInput(f"--from needs {', '.join(missing)} too")
    number = options["game"] or "0"
    if not (number.isascii() and number.isdigit() and len(number) < 6):
        raise BadInput(f"with --from, --game is the number of a game in the match, not {number!r}")
    asking = options["seat"]
    from domeng_sim.positions.from_run import position_of_run
    from domeng_sim.positions.replay import open_run

    source = open_run(options["from_run"])
    texts = [text for key in ("own", "opponents") for text in split_seats(options[key] or "")]
    named = [resolve(text, source.spec) for text in texts if ".py" in text]
    return position_of_run(
        open_run(options["from_run"], None if options["trust"] else named),
        options["at_match"],
        int(number),
        options["at_round"],
        options["at_step"],
        asking,
        options["open_hands"],
    )


def _strategies(spec: GameSpec, position: Any, own: str, opponents: str) -> tuple[StrategySpec, ...]:
    """A strategy for each seat."""
    texts = split_seats(opponents)
    n_others = spec.seats - 1
    if len(texts) == 1:
        texts *= n_others
    if len(texts) != n_others:
        for_each = f", or one for each of the {n_others} other seats" if n_others > 1 else ""
        raise BadInput(f"--opponents takes one strategy{for_each}, not {len(texts)}")
    texts.insert(position.seat, own)
    try:
        found = {text: resolve(text, spec) for text in dict.fromkeys(texts)}
    except ValueError as error:
        raise BadInput(str(error)) from error
    return tuple(found[text] for text in texts)


def _command(spec: GameSpec, rules: Mapping[str, RuleValue], position: Any, extra: list[str]) -> str:
    """The command that gives the same odds again."""
    assert spec.odds is not None
    words = ["domeng-sim", "odds"]
    asked = spec.odds()
    if spec.name != DEFAULT_GAME:
        words += ["--game", spec.name]
    for name, text in asked.write(position).items():
        words += [f"--{name}"] if asked.fields[name].is_flag else [f"--{name}", text]
    for rule in spec.rules:
        if rules[rule.name] != rule.default:
            words += ["--rule", f"{rule.name}={rules[rule.name]}"]
    return shlex.join([*words, *extra])


@click.command(
    epilog="`domeng-sim show RUN --match M --game G --round R` tells that round; the numbers before its steps are "
    "those of --step."
)
@_field_options
@click.option("--position", metavar="FILE", help="Read all this from a file, or - for the standard input.")
@click.option(
    "--from", "from_run", type=click.Path(path_type=Path), metavar="RUN", help="Take the position from a run."
)
@click.option("--match", "at_match", type=WholeNumber(0, 10**15), help="With --from: the match.")
@click.option("--round", "at_round", type=WholeNumber(0, 65_535), help="With --from: the round in its game.")
@click.option("--step", "at_step", type=WholeNumber(0, 65_535), help="With --from: the step about to be done.")
@click.option("--trust", is_flag=True, help="With --from: run the Python code of strategies that is stored in RUN.")
@click.option("--open", "open_hands", is_flag=True, help="With --from: all hands are known.")
@click.option(
    "--game", metavar="NAME|G", help="The game; with --from, the game's number in the match.  [default: domeng; 0]"
)
@click.option("--self", "own", metavar="S", help="How you play on.  [default: random]")
@click.option("--opponents", metavar="S|A,B,...", help="How the others play, by seat.  [default: random]")
@click.option("--samples", type=WholeNumber(1, MOST_SAMPLES), help="How many deals to draw.  [default: 100000]")
@click.option("--until", metavar="0.5pp", help="Draw until winning is known so well, in percentage points.")
@click.option("--exact", is_flag=True, help="All courses of the round on all deals that agree; all play at random.")
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule, see `domeng-sim rules`; repeatable."
)
@click.option(
    "--seed", type=WholeNumber(0, MAX_SEED), help="0 to 2^64-1; the same seed gives the same odds.  [default: drawn]"
)
@click.option(
    "--threads", type=WholeNumber(1, 1024), help="Threads; the odds do not depend on it.  [default: all cores]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the odds as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but the result and errors.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour on the terminal.")
def command(
    exact: bool,
    samples: int | None,
    until: str | None,
    seed: int | None,
    threads: int | None,
    own: str | None,
    opponents: str | None,
    rules: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    color: str,
    **options: Any,
) -> int:
    """What should I play here?  Odds of each move of a position.

    The hidden tiles are drawn uniformly among all deals that agree with what was seen, and each move is played out on
    the same deals with the same luck.  docs/odds.md explains the notation.

    \b
    Examples:
      domeng-sim odds --hand '6|5 5|5 5|2 3|1 2|2' --seat 0
      domeng-sim odds --hand '6|5 4|1 3|1 2|1' --log '0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r' --stones 2,1,2,3,4
      domeng-sim odds --position table.txt --opponents blocker --until 0.5pp
      domeng-sim odds --game draw --hand '6|2 5|5 4|1 3|3 3|2' --log '0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r'
      domeng-sim odds --from my-run --match 3 --round 5 --step 31 --open --exact
    """
    stored = options["from_run"] is not None
    options |= {"own": own, "opponents": opponents}
    spec, all_rules, position = (_stored_position if stored else _given_position)(options, rules)
    if exact and (samples or until or own or opponents):
        raise BadInput(
            "--exact goes through everything with all players at random; leave out --samples, --until and strategies"
        )
    if samples and until:
        raise BadInput("--samples and --until do not go together; give one of them")
    radius = 0.0
    if until:
        from domeng_sim.comparisons.stopping import parse_until

        radius, decided = parse_until(until)
        if decided:
            raise BadInput("--until takes a half-width in percentage points, such as 0.5pp")
    strategies = _strategies(spec, position, own or RANDOM, opponents or RANDOM)
    seed = secrets.randbits(64) if seed is None else seed
    extra = ["--exact"] if exact else _sampling_words(own, opponents, samples, until, seed)
    head = {
        "command": _command(spec, all_rules, position, extra),
        "game": spec.name,
        "rules": dict(all_rules),
        "position": spec.odds().write(position) if spec.odds else {},
        "notes": list(position.notes),
        "seats": [strategy.to_json() for strategy in strategies],
        "seed": None if exact else str(seed),
    }
    if not quiet:
        for note in position.notes:
            tell(f"note: {note}")
    found = _find(
        spec, position, strategies, None if exact else seed, samples, radius, threads or available_cores(), quiet
    )
    _report(found, head, as_json, color)
    return 0


def _sampling_words(
    own: str | None, opponents: str | None, samples: int | None, until: str | None, seed: int
) -> list[str]:
    words = []
    for name, text in (("--self", own), ("--opponents", opponents), ("--samples", samples), ("--until", until)):
        words += [name, str(text)] if text else []
    return [*words, "--seed", str(seed)]


def _find(
    spec: GameSpec,
    position: Any,
    strategies: tuple[StrategySpec, ...],
    seed: int | None,
    samples: int | None,
    radius: float,
    threads: int,
    quiet: bool,
) -> Odds:
    """The odds; exact without a seed."""
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.cli.signals import stop_on_signals
    from domeng_sim.games.types import StrategyError
    from domeng_sim.positions.odds import DEFAULT_SAMPLES, Session, exact_odds, sampled_odds

    with stop_on_signals("stopped; nothing was kept") as stop:
        session = Session(threads, make_progress(quiet), stop.event)
        try:
            if seed is None:
                return exact_odds(spec, position, session=session)
            seats = [seat(strategy) for strategy in strategies]
            return sampled_odds(spec, position, seats, seed, samples or DEFAULT_SAMPLES, radius, session=session)
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
        except StrategyError as error:
            raise UserError(str(error)) from error


def _report(found: Odds, head: Mapping[str, Any], as_json: bool, color: str) -> None:
    if as_json:
        from domeng_sim.runs.provenance import SCHEMA_VERSION

        content = {"schema_version": SCHEMA_VERSION, **head, **found.to_json()}
        print(json.dumps(content, allow_nan=False, indent=1))
        return
    from domeng_sim.cli.odds_page import render_odds

    render_odds(found, head, color)
