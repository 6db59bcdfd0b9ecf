"""``domeng-sim run``."""

from __future__ import annotations

import datetime
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from domeng_sim.cli.options import (
    WholeNumber,
    available_cores,
    make_config,
    parse_rules,
    read_config,
    simulation_options,
)
from domeng_sim.errors import BadInput, Interrupted, UserError
from domeng_sim.plan import MAX_PER_MATCH, MAX_TOTAL, RunConfig
from domeng_sim.tables import LEVELS


def _new_directory() -> Path:
    """A name that is not taken, in the current directory."""
    stem = datetime.datetime.now().strftime("domeng-run-%Y%m%d-%H%M%S")
    number, path = 1, Path(stem)
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}")
    return path


def _given(options: dict[str, Any], config_file: Path | None) -> dict[str, Any]:
    """Options of the configuration file, then those of the command line, which win."""
    given = read_config(config_file) if config_file else {}
    flags = {name: value for name, value in options.items() if value not in (None, False, ())}
    if options["seed"] == 0:
        flags["seed"] = 0
    for one, other in (("matches", "rounds"), ("games_per_match", "rounds_per_match"), ("strategy", "seats")):
        if one in flags and other in flags:
            names = f"--{one.replace('_', '-')} and --{other.replace('_', '-')}"
            raise BadInput(f"{names} do not go together; give one of them")
        if one in flags:
            given.pop(other, None)
        if other in flags:
            given.pop(one, None)
    if "rules" in flags:
        flags["rules"] = {**given.get("rules", {}), **parse_rules(flags["rules"])}
    return given | flags


def _stored_options(directory: Path) -> dict[str, Any]:
    """Options of the run that a directory holds."""
    from domeng_sim.dataset import Dataset

    manifest = Dataset.open(directory).manifest
    options = {
        "game": manifest["game"],
        "rules": manifest["rules"],
        "seats": ",".join(seat["text"] for seat in manifest["seats"]),
        "seed": int(manifest["seed"]),
        "tables": manifest["tables"],
        "hands": manifest["hands"],
    }
    for name, key in (("matches", "matches_asked"), ("rounds", "rounds_asked")):
        if key in manifest:
            options[name] = manifest[key]
    for name in ("games_per_match", "rounds_per_match"):
        if name in manifest:
            options[name] = manifest[name]
    return options


def _resumed(given: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Options of a run to be resumed: those stored, over which those given are laid."""
    stored = _stored_options(directory)
    for one, other in (("matches", "rounds"), ("games_per_match", "rounds_per_match"), ("strategy", "seats")):
        if one in given:
            stored.pop(other, None)
        if other in given:
            stored.pop(one, None)
    given = {**given, "rules": {**stored["rules"], **given.get("rules", {})}}
    return {**stored, **given}


def _save_config(path: Path, config: RunConfig) -> None:
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
        "rules": dict(config.rules),
    }
    try:
        with path.open("xb") as file:
            tomli_w.dump(content, file)
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
    "--rounds-per-match", type=WholeNumber(1, MAX_PER_MATCH), help="Length of a match in rounds; 1: independent first rounds."
)  # fmt: skip
@click.option("--strategy", metavar="S", help="Strategy of all seats, see `domeng-sim strategies`.  [default: random]")
@click.option("--seats", metavar="A,B,C,D,E", help="A strategy for each seat.")
@click.option(
    "--tables", type=click.Choice(LEVELS), help="Write the tables up to this level.  [default: rounds]"
)
@click.option("--hands", is_flag=True, help="Store the hands as dealt in the table `rounds`.")
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the dataset.  [default: a new one]")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="TOML file with the same names; options given here win."
)  # fmt: skip
@click.option(
    "--save-config", type=click.Path(path_type=Path), help="Write such a file with what this command would do, and stop."
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with the run in --out.")
@click.option("--overwrite", is_flag=True, help="Replace the dataset in --out.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@simulation_options
def command(
    config_file: Path | None,
    save_config: Path | None,
    resume: bool,
    overwrite: bool,
    as_json: bool,
    quiet: bool,
    color: str,
    **options: Any,
) -> int:
    """Play many rounds and write the result tables.

    Without options: a million rounds of five random players into a new directory.  The same seed gives the same rows,
    whatever the threads; a run that was stopped goes on with --resume.

    \b
    Examples:
      domeng-sim run
      domeng-sim run --rounds 1e7 --seats banker,random,random,random,random --seed 1
      domeng-sim run --matches 2000 --rule stones=30 --rule camat_check=before --tables games
      domeng-sim run --out my-run --resume
    """
    given = _given(options, config_file)
    if resume and overwrite:
        raise BadInput("--resume and --overwrite do not go together; give one of them")
    if resume and "out" not in given:
        raise BadInput("--resume needs --out, the directory of the run to go on with")
    if overwrite and "out" not in given:
        raise BadInput("--overwrite needs --out, the directory to replace")
    directory = Path(given["out"]) if "out" in given else _new_directory()
    if resume:
        given = _resumed(given, directory)
    config = make_config(given)
    if save_config is not None:
        _save_config(save_config, config)
        if not quiet:
            print(f"wrote {save_config}; run it with: domeng-sim run --config {shlex.quote(str(save_config))}", file=sys.stderr)
        return 0
    return _play(config, directory, given.get("threads") or available_cores(), resume, overwrite, as_json, quiet, color)


def _play(
    config: RunConfig, directory: Path, threads: int, resume: bool, overwrite: bool, as_json: bool, quiet: bool, color: str
) -> int:  # fmt: skip
    from domeng_sim import runner
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.cli.signals import stop_on_signals
    from domeng_sim.games.spec import StrategyError

    again = f"domeng-sim run --resume --out {shlex.quote(str(directory))}"
    progress = make_progress(quiet)
    if not quiet and not resume:
        progress.message(f"seed {config.seed}, into {directory}, {threads} thread{'s' * (threads > 1)}")
    with stop_on_signals(f"stopped; finished parts are kept. Go on with: {again}") as stop:
        try:
            result = runner.run(
                config,
                directory,
                threads=threads,
                resume=resume,
                overwrite=overwrite,
                progress=progress,
                stop=stop.event,
            )
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
        except StrategyError as error:
            raise UserError(str(error)) from error
    if resume and not result.rounds and not quiet:
        print(f"{directory} was complete already; nothing was played", file=sys.stderr)
    _report(result, config, as_json, color)
    return 0


def _report(result: Any, config: RunConfig, as_json: bool, color: str) -> None:
    from domeng_sim.cli.render import render_run
    from domeng_sim.provenance import command as command_of
    from domeng_sim.studies.figures import figures

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
