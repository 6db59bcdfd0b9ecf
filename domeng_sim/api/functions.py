"""The library: a few functions that do what the commands do, for notebooks and programs.

A function takes the fields of its request; its signature and the list of its parameters are made from them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from domeng_sim.analysis.report import RunReport
from domeng_sim.api.carry_out import positions, runs, studies
from domeng_sim.api.frames import Tables, opened
from domeng_sim.api.in_memory import play_in_memory
from domeng_sim.api.requests.base import Option, Request, options_of
from domeng_sim.api.requests.kinds import RUN
from domeng_sim.api.requests.positions import OddsRequest, position_fields
from domeng_sim.api.requests.runs import ExportRequest, MergeRequest, ReportRequest, RunRequest, SimulateRequest
from domeng_sim.api.requests.studies import CompareRequest, PowerRequest, SensitivityRequest, TournamentRequest
from domeng_sim.api.requests.sweep import SweepRequest
from domeng_sim.api.requests.tune import TuneRequest
from domeng_sim.api.results import Comparison, Odds, Ranking, Report, Sweep
from domeng_sim.comparisons.power import Power
from domeng_sim.comparisons.sensitivity_result import Sensitivity
from domeng_sim.comparisons.tuning_result import TuneResult
from domeng_sim.errors import BadField, BadInput, FieldRef, unknown_field
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.whole_file import whole_file

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_HEADERS = ("Returns\n", "Raises\n", "Examples\n")


def asks(
    request: Callable[P, R], listed: str = "", gathered: str = "", **usual: Any
) -> Callable[[Callable[[R], T]], Callable[P, T]]:
    """Decorate a function of a request, so that it takes the request's fields.

    Parameters
    ----------
    request
        Class of the request.
    listed
        Field that takes all arguments without a name.
    gathered
        Field that takes all other arguments with a name.
    **usual
        Values by field where nothing is said, if others than those of the request.
    """
    assert isinstance(request, type)
    assert issubclass(request, Request)
    options = {name: known for name, known in options_of(request) if name != gathered}
    fields = {field.name: field for field in dataclasses.fields(request)}
    places = [listed] if listed else [name for name in options if not fields[name].kw_only]

    def decorate(function: Callable[[R], T]) -> Callable[P, T]:
        where = function.__name__

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> T:
            given = {**_placed(where, places, listed, args, kwargs), **kwargs}
            others = {name: given.pop(name) for name in list(given) if name not in options}
            known = [*options, *(position_fields() if gathered else ())]
            for name, value in others.items():
                if name not in known:
                    raise unknown_field(name, value, known, where)
            if gathered:
                given[gathered] = others
            for name in places:
                if name not in given and fields[name].default is dataclasses.MISSING:
                    raise BadField(name, None, message=(f"{where} needs ", FieldRef(name)))
            asked: Any = request(**given, usual=usual)
            return function(asked)

        call.__signature__ = _signature(function, options, fields, places, listed, gathered, usual)  # type: ignore[attr-defined]
        call.__doc__ = _documented(function.__doc__ or "", options, usual, gathered)
        return call

    return decorate


def _placed(
    where: str, places: list[str], listed: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments without a name, by the fields that their places stand for."""
    if listed:
        items = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
        return {listed: tuple(items)} if args else {}
    if len(args) > len(places):
        raise BadInput(f"{where} takes {len(places)} arguments without a name, not {len(args)}")
    found = dict(zip(places, args, strict=False))
    for name in found:
        if name in kwargs:
            raise BadField(name, kwargs[name], message=(FieldRef(name), " is given twice"))
    return found


def _signature(
    function: Callable[..., Any],
    options: dict[str, Option],
    fields: dict[str, dataclasses.Field[Any]],
    places: list[str],
    listed: str,
    gathered: str,
    usual: dict[str, Any],
) -> inspect.Signature:
    parameters = []
    for name, known in options.items():
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD if name in places else inspect.Parameter.KEYWORD_ONLY
        if name == listed:
            kind = inspect.Parameter.VAR_POSITIONAL
        default = usual.get(name, known.usual if known.kind.metavar else False)
        if name == listed or fields[name].default is dataclasses.MISSING:
            default = inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=fields[name].type))
    if gathered:
        parameters.append(inspect.Parameter(gathered, inspect.Parameter.VAR_KEYWORD, annotation="object"))
    parameters.sort(key=lambda parameter: parameter.kind)
    return inspect.Signature(parameters, return_annotation=inspect.signature(function).return_annotation)


def _documented(text: str, options: dict[str, Option], usual: dict[str, Any], gathered: str) -> str:
    """A docstring with the parameters, before the sections that follow them."""
    text = inspect.cleandoc(text)
    lines = ["Parameters", "----------"]
    for name, known in options.items():
        default = str(usual[name]) if name in usual else known.default
        tail = f"  {default} if nothing is said." if default else ""
        lines += [f"*{name}" if known.kind.metavar.endswith("...") else name, f"    {known.sentence}{tail}"]
    if gathered:
        lines += [f"**{gathered}", f"    {OPTION_OF_POSITION}: {', '.join(position_fields())}."]
    at = min((text.index(f"\n{header}") for header in _HEADERS if f"\n{header}" in text), default=len(text))
    return f"{text[:at].rstrip()}\n\n" + "\n".join(lines) + f"\n{text[at:]}"


OPTION_OF_POSITION = "The position, written as on the command line, several numbers also as a tuple"


def load(directory: str | PathLike[str]) -> Tables:
    """The tables of a dataset.

    Parameters
    ----------
    directory
        A run's directory, or its address in an object store.

    Raises
    ------
    BadInput
        If it is no run.
    Damaged
        If its manifest cannot be read.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1)
    ...     domeng_sim.load(f"{folder}/first")
    <Tables of Domeng: 20 matches, tables up to 'rounds', seed 1>
    """
    dataset = Dataset.open(RUN.check("directory", directory))
    if "study" in dataset.manifest:
        raise BadInput(f"{dataset.directory} holds a study of `{dataset.manifest['study']}`, not a run")
    return opened(dataset)


@asks(SimulateRequest, seed=0)
def simulate(request: SimulateRequest) -> Tables:
    """Play and return the tables, without touching the disk, on one thread.

    Returns
    -------
    Tables
        All in memory; for more than some ten million rounds use `run`.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> played = domeng_sim.simulate(matches=20, seed=1)
    >>> played.rounds.winner.loc[(0, 0)].tolist()[:5]
    [3, 4, 1, 2, 4]
    >>> played.games.shape[0]
    200
    """
    return play_in_memory(request.config)


@asks(RunRequest, seed=0, threads=1)
def run(request: RunRequest) -> Tables:
    """Play a run into a directory, as ``domeng-sim run`` does.

    Returns
    -------
    Tables
        Read from the disk when they are looked at.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    UserError
        If the directory holds something else, or the disk is full.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     played = domeng_sim.run(f"{folder}/first", matches=20, seed=1)
    ...     played.games.shape[0]
    200
    """
    return opened(runs.play_run(request).dataset)


@asks(CompareRequest, seed=0, threads=1)
def compare(request: CompareRequest) -> Comparison:
    """Compare two strategies on the same deals, as ``domeng-sim compare`` does.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> answer = domeng_sim.compare("random", "random", blocks=100)
    >>> answer.ends[0].share.value, answer.ends[0].share.half_width
    (0.2, 0.0)
    >>> domeng_sim.compare("starver", "random", game="draw", until="decided").sentence
    'starver is better than random'
    >>> domeng_sim.compare("heaviest", "random", game="draw", sprt=(0.5, 0.55)).test.verdict
    'H1'
    """
    return Comparison.of(studies.compare(request))


def _many(function: Callable[..., T]) -> Callable[..., T]:
    """A function whose arguments are too many to be told apart by their types."""
    return function


@_many
@asks(TournamentRequest, listed="names", seed=0, threads=1)
def tournament(request: TournamentRequest) -> Ranking:
    """Rank strategies on the same deals, as ``domeng-sim tournament`` does.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    """
    return Ranking.of(studies.rank(request))


@asks(SensitivityRequest, seed=0, threads=1)
def sensitivity(request: SensitivityRequest) -> Sensitivity:
    """Tell how much each reading of the rules matters, as ``domeng-sim sensitivity`` does.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    """
    return studies.find_sensitivity(request)


@asks(SweepRequest, seed=0, threads=1)
def sweep(request: SweepRequest) -> Sweep:
    """Play a grid of weights, options and rules on the same deals, as ``domeng-sim sweep`` does.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> found = domeng_sim.sweep(over={"rule.stones": (15, 25)}, blocks=100)
    >>> found.frame("difference.game.rounds").label.tolist()
    ['stones=15', 'stones=25']
    """
    return Sweep.of(studies.play_sweep(request))


@asks(TuneRequest, seed=0, threads=1)
def tune(request: TuneRequest) -> TuneResult:
    """Tune the weights of a strategy and write it into a file, as ``domeng-sim tune`` does.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    Refused
        If the file exists.
    """
    return studies.tune(request)


@asks(PowerRequest, seed=0, threads=1)
def power(request: PowerRequest) -> Power:
    """Plan a comparison, as ``domeng-sim power`` does: how many blocks find a difference of a given size.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    """
    return studies.find_power(request)


@_many
@asks(OddsRequest, gathered="parts", seed=0, threads=1)
def odds(request: OddsRequest) -> Odds:
    """Odds of each move of a position, as ``domeng-sim odds`` gives them.

    Raises
    ------
    PositionError
        If there can be no such position; the message says why.
    BadInput
        If something else cannot be taken.

    Examples
    --------
    >>> import domeng_sim
    >>> asked = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "stones": "2,1,2,3,4"}
    >>> answer = domeng_sim.odds(samples=2000, **asked)
    >>> sorted(move.text for move in answer.moves)
    ['2|1 left', '4|1 right']
    >>> domeng_sim.odds(until="2pp", **asked | {"stones": (2, 1, 2, 3, 4)}).reason
    'until'
    >>> answer = domeng_sim.odds(game="draw", samples=2000, hand="6|2 5|4 4|1 3|3 3|2 1|1", log="0:6|6 1:6|4r")
    >>> sorted(move.text for move in answer.moves)
    ['4|1 right', '5|4 right', '6|2 left']
    """
    return Odds.of(positions.find_odds(request))


@asks(ExportRequest)
def export(request: ExportRequest) -> Path:
    """Write rows of a table of a dataset into a file, with flat memory, as ``domeng-sim export`` does.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    Refused
        If the file exists.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1)
    ...     path = domeng_sim.export(
    ...         f"{folder}/first", f"{folder}/games.csv", table="games", columns="match,game,camat"
    ...     )
    ...     print(path.read_text()[:22])
    match,game,camat
    0,0,4
    """
    path = runs.export(request)
    assert path is not None
    return path


@_many
@asks(MergeRequest, listed="runs", threads=1)
def merge(request: MergeRequest) -> Tables:
    """Make one dataset of pieces of a run, as ``domeng-sim merge`` does; equal to that of one machine in every byte.

    Returns
    -------
    Tables
        Read from the disk when they are looked at.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    Refused
        If they are pieces of different runs, or matches are missing or there twice.
    Damaged
        If a file is not what was written.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         _ = domeng_sim.run(f"{folder}/{number}", matches=1000, seed=1, tables="games", shard=(number, 2))
    ...     domeng_sim.merge(f"{folder}/1", f"{folder}/2", out=f"{folder}/whole")
    <Tables of Domeng: 1000 matches, tables up to 'games', seed 1>
    """
    return opened(runs.merge(request).dataset)


@_many
@asks(ReportRequest, listed="runs", threads=1)
def report(request: ReportRequest) -> Report:
    """What came out of a run, or of several side by side, as ``domeng-sim report`` shows it.

    Raises
    ------
    BadInput
        If a directory holds no run, or the runs are of different games.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1, tables="games")
    ...     made = domeng_sim.report(f"{folder}/first")
    >>> made.chapters[0].title
    'How rounds end'
    """
    return Report.of(runs.make_the_report(request))


def to_html(report: RunReport, path: str | PathLike[str] | None = None) -> str:
    """The page of a report, which needs nothing else; ``domeng-sim report`` writes the same.

    Parameters
    ----------
    report
        What `domeng_sim.report` made.
    path
        A file to write it to, replaced if it is there; None to write none.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1, tables="summary")
    ...     page = domeng_sim.to_html(domeng_sim.report(f"{folder}/first"), f"{folder}/first.html")
    ...     page == Path(f"{folder}/first.html").read_text(encoding="utf-8")
    True
    """
    from domeng_sim.analysis.html.page import page

    made = page(report)
    if path is not None:
        with whole_file(Path(path)) as file:
            file.write(made.encode())
    return made
