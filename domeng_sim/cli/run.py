"""``domeng-sim run``."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from typing import Any

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import SWITCH
from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.cli.help_text import STATUSES
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.errors import BadField, FieldRef, Interrupted, UserError
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.store.location import Location

SCHEMA_VERSION = 1
"""Of the JSON output."""


@dataclass(frozen=True, kw_only=True)
class RunDisplay(Display):
    """How a run is watched and printed."""

    live: bool = optional(
        SWITCH,
        "Show the odds so far in place of the bar, once a second, with intervals that hold although one watches; needs "
        "a terminal.",
        not_with=("quiet",),
        repeats=False,
    )


@request_command(RunRequest, RunDisplay, epilog=STATUSES)
def command(request: RunRequest, view: RunDisplay) -> int:
    """Play many rounds and write the result tables.

    Without options: a million rounds of random players into a new directory.  The same seed gives the same rows,
    whatever the threads; a run that was stopped goes on with --resume.  With --until it runs until the confidence
    interval of a figure of the report, by its name in JSON, is narrow enough; that is a confidence sequence, which
    allows for optional stopping.  --shard plays a piece of a run, here or on another machine, --cluster all of it on
    the workers of a Dask cluster.

    \b
    Examples:
      domeng-sim run
      domeng-sim run --rounds 1e7 --seats banker,random,random,random,random --seed 1
      domeng-sim run --matches 2000 --rule stones=30 --rule camat_check=before --tables games
      domeng-sim run --game draw --seats starver,random --rule table=14x10
      domeng-sim run --until ceki=0.02pp --until game.rounds=0.5%
      domeng-sim run --rounds 1e8 --live
      domeng-sim run --out my-run --resume
      domeng-sim run --matches 1e7 --seed 1 --shard 3/10 --out piece-3
    """
    from domeng_sim.api.carry_out import runs
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import LiveOdds, is_screen, make_progress

    if view.live and not is_screen():
        raise BadField("live", True, message=(FieldRef("live"), " needs a terminal to show the odds on; leave it out"))
    with (
        runs.with_directory(request) as (named, directory),
        stop_on_signals(lambda: _hint(named, directory)) as stop,
    ):
        odds = LiveOdds() if view.live else None
        progress = odds or make_progress(view.quiet)
        watch = Watch(progress, stop.event, progress.message, live=odds.show if odds else None)
        try:
            result = runs.play_run(named, watch)
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
        if named.resume and not result.rounds:
            progress.message(f"{directory} is complete; there was nothing to play")
    _report(result, named.config, view)
    return 0


def _hint(request: RunRequest, directory: Location) -> str:
    """What to tell where a run is stopped."""
    finished = _finished_parts(request.config, directory)
    if finished is not None:
        trust = any(seat.kind == "user" and not seat.stored_in for seat in request.config.seats)
        again = command_line("run", {"resume": True, "out": directory, "trust": trust})
        return f"stopped; {'finished parts are kept' if finished else 'no part was finished yet'}. Go on with: {again}"
    again = shlex.join(request.words(shard=request.shard, out=directory, overwrite=request.overwrite))
    return f"stopped before anything was written or removed. Begin again with: {again}"


def _finished_parts(config: RunConfig, directory: Location) -> int | None:
    """How many files of this run there are; None if it is another run that the directory still holds, or none."""
    from domeng_sim.runs.store.dataset import Dataset

    try:
        dataset = Dataset.open(directory)
        return len(dataset.parts) if dataset.manifest["identity"] == config.identity() else None
    except UserError:
        return None


def _goals(result: Any, config: RunConfig) -> dict[str, Any]:
    """What was to be known, and what is."""
    from domeng_sim.analysis.goals import RunGoals
    from domeng_sim.runs.looks import looks_before

    aim, plan = RunGoals(config), result.dataset.plan
    aim.begin(plan)
    aim.add(result.counts)
    looks = looks_before(-(-result.dataset.manifest["matches"] // plan.part))
    return {
        "reason": "until" if aim.is_reached() else "max-rounds",
        "looks": looks,
        "goals": [
            {
                "figure": goal.figure.key,
                "kind": getattr(goal.figure, "kind", "quantile"),
                "half_width_asked": goal.wanted(one),
                "reached": goal.is_reached(one),
                "estimate": replace(one, looks=looks).to_json(),
            }
            for goal, one in zip(aim.goals, aim.estimates(), strict=True)
        ],
    }


def _report(result: Any, config: RunConfig, view: Display) -> None:
    from domeng_sim.analysis.metrics import figures
    from domeng_sim.cli.render import render_run
    from domeng_sim.runs.provenance import asked

    manifest = result.dataset.manifest
    shown, shard = figures(config.spec, config.rules, result.counts), result.dataset.shard
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "command": command_line("run", {**asked(config), "shard": shard}),
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
    if shard is not None:
        head["shard"] = str(shard)
    if config.until:
        head["until"] = _goals(result, config)
    if view.json:
        print(json.dumps({**head, "figures": shown.to_json()}, allow_nan=False, indent=1))
    else:
        render_run(head, shown, view.color)
