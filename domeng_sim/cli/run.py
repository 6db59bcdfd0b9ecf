"""``domeng-sim run``."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import shlex
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from domeng_sim.cli.options import (
    EXCLUSIVE,
    WholeNumber,
    available_cores,
    make_config,
    parse_rules,
    read_config,
    simulation_options,
)
from domeng_sim.cli.say import tell
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Interrupted, Refused, UserError
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_TOTAL, RunConfig
from domeng_sim.runs.store.files import directory_path, disk_errors


def _new_directory() -> Path:
    """Make a directory in the current one, under a name that nobody has; it stays ours while it is empty."""
    stem = datetime.datetime.now().strftime("domeng-run-%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        path = Path(stem if number == 1 else f"{stem}-{number}")
        try:
            with disk_errors(Path.cwd()):
                path.mkdir()
        except UserError as error:
            if not isinstance(error.__cause__, FileExistsError):
                raise
        else:
            return path
    raise AssertionError


def _given(options: dict[str, Any], config_file: Path | None) -> dict[str, Any]:
    """Options of the configuration file, then those of the command line, which win."""
    given = read_config(config_file) if config_file else {}
    # what was not given; a number 0 was
    flags = {name: value for name, value in options.items() if value is not None and value is not False and value != ()}
    for one, other in EXCLUSIVE:
        if one in flags and other in flags:
            names = f"--{one.replace('_', '-')} and --{other.replace('_', '-')}"
            raise BadInput(f"{names} do not go together; give one of them")
        if one in flags:
            given.pop(other, None)
        if other in flags:
            given.pop(one, None)
    if "rules" in flags:
        flags["rules"] = {**given.get("rules", {}), **parse_rules(flags["rules"])}
    given |= flags
    if "out" in given:
        given["out"] = directory_path(given["out"])
    return given


def _resumed(given: dict[str, Any], directory: Path, trust: bool) -> RunConfig:
    """The run to be gone on with: the one that is there, over which the options given are laid.

    Strategies are those that it was begun with, even where their files have changed or gone, unless they are given.
    """
    from domeng_sim.runs.store.dataset import Dataset, holds_dataset

    if not holds_dataset(directory) and ("matches" in given or "rounds" in given):
        # so that one and the same command may begin a run and go on with it
        return make_config(given)
    dataset = Dataset.open(directory)
    manifest = dataset.manifest
    if "study" in manifest:
        raise Refused(f"{directory} holds a study; go on with it by domeng-sim {manifest['study']} --resume")
    if "play" in manifest and not manifest["parts"]:
        where = shlex.quote(str(directory))
        raise Refused(f"{directory} holds a game that people play; go on with domeng-sim play --resume --out {where}")
    stored = dataset.config.trusting() if trust else dataset.config
    options = {"game": stored.game, "rules": stored.rules, "seats": stored.seats, "seed": stored.seed}
    options |= {"tables": stored.level, "hands": stored.hands}
    for name in ("matches", "rounds", "games_per_match", "rounds_per_match"):
        if value := getattr(stored, name):
            options[name] = value
    for one, other in EXCLUSIVE:
        if one in given:
            options.pop(other, None)
        if other in given:
            options.pop(one, None)
    return make_config({**options, **given, "rules": {**stored.rules, **given.get("rules", {})}})


def _save_config(path: Path, config: RunConfig, given: dict[str, Any]) -> None:
    import tomli_w

    content: dict[str, Any] = {"game": config.game}
    content |= {"matches": config.matches} if config.matches else {"rounds": config.rounds}
    if config.rounds_per_match:
        content["rounds-per-match"] = config.rounds_per_match
    else:
        content["games-per-match"] = config.games_per_match
    content |= {
        "seats": [seat.text for seat in config.seats],
        "seed": str(config.seed),
        "tables": config.level,
        "hands": config.hands,
        **({"out": str(given["out"])} if "out" in given else {}),
        **({"threads": given["threads"]} if "threads" in given else {}),
        "rules": dict(config.rules),
    }
    try:
        with path.open("xb") as file:
            file.write(tomli_w.dumps(content).encode())
    except FileExistsError as error:
        raise BadInput(f"{path} exists already; name another file") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error


@click.command(context_settings={"show_default": False})
@click.option("--matches", type=WholeNumber(1, MAX_TOTAL), help="Number of matches.")
@click.option(
    "--rounds", type=WholeNumber(1, MAX_TOTAL), help="Whole matches until at least so many rounds.  [default: 1000000]"
)
@click.option(
    "--games-per-match", type=WholeNumber(1, MAX_PER_MATCH), help="Length of a match in games.  [default: 10]"
)
@click.option(
    "--rounds-per-match",
    type=WholeNumber(1, MAX_PER_MATCH),
    help="Length of a match in rounds; 1: independent first rounds.",
)
@click.option("--strategy", metavar="S", help="Strategy of all seats, see `domeng-sim strategies`.  [default: random]")
@click.option("--seats", metavar="A,B,...", help="A strategy for each seat: five in Domeng, two in Draw.")
@click.option("--tables", type=click.Choice(LEVELS), help="Write the tables up to this level.  [default: rounds]")
@click.option("--hands", is_flag=True, help="Store the hands as dealt in the table `rounds`.")
@click.option("--out", type=click.Path(), help="Directory of the dataset.  [default: a new one]")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="TOML file with the same names, [rules] for --rule; options given here win.",
)
@click.option(
    "--save-config",
    type=click.Path(path_type=Path),
    help="Write such a file with what this command would do, and stop.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the run in --out; where nothing is yet, --matches or --rounds must be given, and it begins.",
)
@click.option("--overwrite", is_flag=True, help="Replace the dataset in --out; other files in it stay.")
@click.option("--trust", is_flag=True, help="With --resume: run the Python code of strategies that is stored in --out.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@simulation_options
def command(
    config_file: Path | None,
    save_config: Path | None,
    resume: bool,
    overwrite: bool,
    trust: bool,
    as_json: bool,
    quiet: bool,
    color: str,
    **options: Any,
) -> int:
    """Play many rounds and write the result tables.

    Without options: a million rounds of random players into a new directory.  The same seed gives the same rows,
    whatever the threads; a run that was stopped goes on with --resume.

    \b
    Examples:
      domeng-sim run
      domeng-sim run --rounds 1e7 --seats banker,random,random,random,random --seed 1
      domeng-sim run --matches 2000 --rule stones=30 --rule camat_check=before --tables games
      domeng-sim run --game draw --seats starver,random --rule table=14x10
      domeng-sim run --out my-run --resume
    """
    given = _given(options, config_file)
    quiet, as_json = quiet or bool(given.pop("quiet", False)), as_json or bool(given.pop("json", False))
    stored_color = given.pop("color", color)
    if click.get_current_context().get_parameter_source("color") is not ParameterSource.COMMANDLINE:
        color = stored_color
    if resume and overwrite:
        raise BadInput("--resume and --overwrite do not go together; give one of them")
    if resume and "out" not in given:
        raise BadInput("--resume needs --out, the directory of the run to go on with")
    if overwrite and "out" not in given:
        raise BadInput("--overwrite needs --out, the directory to replace")
    config = _resumed(given, given["out"], trust) if resume else make_config(given)
    if save_config is not None:
        _save_config(save_config, config, given)
        if not quiet:
            tell(f"wrote {save_config}; run it with: domeng-sim run --config {shlex.quote(str(save_config))}")
        return 0
    how = {"threads": given.get("threads") or available_cores(), "resume": resume, "overwrite": overwrite}
    if "out" in given:
        return _play(config, given["out"], how, as_json, quiet, color)
    directory = _new_directory()
    try:
        return _play(config, directory, how, as_json, quiet, color)
    finally:
        with contextlib.suppress(OSError):
            directory.rmdir()


def _finished_parts(config: RunConfig, directory: Path) -> int | None:
    """How many files of this run there are; None if it is another run that the directory still holds, or none."""
    from domeng_sim.runs.store.dataset import Dataset

    try:
        dataset = Dataset.open(directory)
        return len(dataset.parts) if dataset.manifest["identity"] == config.identity() else None
    except UserError:
        return None


def _play(config: RunConfig, directory: Path, how: dict[str, Any], as_json: bool, quiet: bool, color: str) -> int:
    resume = how["resume"]

    def hint() -> str:
        from domeng_sim.runs.provenance import command as command_of

        out = f"--out {shlex.quote(str(directory))}"
        finished = _finished_parts(config, directory)
        if finished is not None:
            kept = "finished parts are kept" if finished else "no part was finished yet"
            own = " --trust" * any(seat.kind == "user" and not seat.stored_in for seat in config.seats)
            return f"stopped; {kept}. Go on with: domeng-sim run --resume {out}{own}"
        again = f"{command_of(config)} {out}{' --overwrite' * how['overwrite']}"
        return f"stopped before anything was written or removed. Begin again with: {again}"

    with stop_on_signals(hint) as stop:
        from domeng_sim.cli.bar import make_progress
        from domeng_sim.games.types import StrategyError
        from domeng_sim.runs import runner
        from domeng_sim.runs.store.dataset import Dataset

        progress = make_progress(quiet)
        if not resume:
            Dataset.replaced(directory, how["overwrite"])  # refuses before anything is announced
            threads = how["threads"]
            progress.message(f"seed {config.seed}, into {directory}, {threads} thread{'s' * (threads > 1)}")
        try:
            result = runner.run(config, directory, **how, progress=progress, stop=stop.event)
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
        except StrategyError as error:
            raise UserError(str(error)) from error
    if resume and not result.rounds:
        progress.message(f"{directory} is complete; there was nothing to play")
    _report(result, config, as_json, color)
    return 0


def _report(result: Any, config: RunConfig, as_json: bool, color: str) -> None:
    from domeng_sim.analysis.metrics import figures
    from domeng_sim.cli.render import render_run
    from domeng_sim.runs.provenance import command as command_of

    manifest = result.dataset.manifest
    shown = figures(config.spec, config.rules, result.counts)
    head = {
        "schema_version": manifest["schema_version"],
        "command": command_of(config),
        "directory": str(result.dataset.directory),
        "seed": str(config.seed),
        "identity": manifest["identity"],
        "game": config.game,
        "seats": manifest["seats"],
        "rules": manifest["rules"],
        "tables": config.level,
        "totals": manifest["totals"],
        "seconds": result.seconds,
        "rounds_played": result.rounds,
        "rounds_per_second": result.rounds / result.seconds if result.rounds else None,
    }
    if as_json:
        print(json.dumps({**head, "figures": shown.to_json()}, allow_nan=False, indent=1))
    else:
        render_run(head, shown, color)
