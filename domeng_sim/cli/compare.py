"""``domeng-sim compare``."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from domeng_sim.cli.options import simulation_options
from domeng_sim.cli.say import reader_may_leave
from domeng_sim.cli.study import (
    check_store,
    make_session,
    make_setting,
    make_stopping,
    print_json,
    resume_hint,
    setting_options,
    setting_words,
    stopping_options,
    store_options,
    strategies,
    tell_seed,
)
from domeng_sim.comparisons.request import Gate, Question
from domeng_sim.comparisons.stopping import DEFAULT_RADIUS, Stopping
from domeng_sim.errors import BadInput, Interrupted
from domeng_sim.runs.command import words as words_of

if TYPE_CHECKING:
    from domeng_sim.comparisons.result import Comparison

STATUS = {"H1": 0, "H0": 6, "undecided": 5}
"""Exit statuses of a sequential test."""


def _counts(text: str | None, gate: Gate | None, seats: int) -> tuple[int, ...]:
    """How many A sit at the tables that are compared."""
    if text is None:
        return (1,) if gate is not None or seats == 2 else (1, seats - 1)
    pieces = [piece.strip() for piece in text.split(",")]
    if not all(piece.isascii() and piece.isdigit() and 0 < int(piece) < seats for piece in pieces):
        if seats == 2:
            raise BadInput(f"--field takes how many A sit at the table, which is 1 where two play, not {text!r}")
        raise BadInput(f"--field takes how many A sit at the table, 1 to {seats - 1}, as 1 or 1,4, not {text!r}")
    counts = tuple(dict.fromkeys(int(piece) for piece in pieces))
    if gate is not None and counts != (1,):
        raise BadInput("--sprt tests the share of one A among B; it does not go with another --field")
    return counts


def _gate(text: str | None, alpha: float | None, beta: float | None) -> Gate | None:
    if text is None:
        if alpha is not None or beta is not None:
            raise BadInput("--alpha and --beta belong to --sprt")
        return None
    try:
        s0, s1 = (float(piece) for piece in text.split(","))
    except ValueError:
        raise BadInput(f"--sprt takes two shares, as 0.20,0.21, not {text!r}") from None
    return Gate(s0, s1, 0.05 if alpha is None else alpha, 0.05 if beta is None else beta)


def _words(question: Question, stopping: Stopping, field: str | None) -> list[str]:
    """The command that gives this answer again."""
    words = ["domeng-sim", "compare", question.a.text, question.b.text]
    if question.company:
        texts = [spec.text for spec in question.company]
        words += ["--opponents", texts[0] if len(set(texts)) == 1 else ",".join(texts)]
    if question.all_mixes:
        words.append("--all-mixes")
    if field is not None:
        words += ["--field", field]
    if question.sprt:
        gate = question.sprt
        words += ["--sprt", f"{gate.s0},{gate.s1}"]
        words += (
            [] if (gate.alpha, gate.beta) == (0.05, 0.05) else ["--alpha", str(gate.alpha), "--beta", str(gate.beta)]
        )
    return [
        *words,
        *setting_words(question.setting),
        *(word for item in stopping.asked().items() for word in words_of(*item)),
    ]


@click.command(context_settings={"show_default": False})
@click.argument("a")
@click.argument("b")
@click.option(
    "--field",
    metavar="MIX",
    help="How many A sit at the tables, the rest being B.  [default: 1,4, one A among four B and one B among four A; "
    "where two play, A against B]",
)
@click.option(
    "--all-mixes",
    is_flag=True,
    help="All 32 seatings of A and B at a table of five, for the effect of switching one seat in any company.",
)
@click.option(
    "--opponents",
    metavar="C",
    help="Put A and B, in turn, into tables of C (where two play, against C); at a table of "
    "five also of four strategies, C,D,E,F.",
)
@click.option(
    "--sprt",
    metavar="S0,S1",
    help="Sequential test of A's share among B, as 0.20,0.21, where two play 0.50,0.51; ends with status 0 (H1), "
    "6 (H0) or 5 (undecided).",
)
@click.option("--alpha", type=float, help="Chance that --sprt accepts H1 where H0 holds.  [default: 0.05]")
@click.option("--beta", type=float, help="Chance that --sprt accepts H0 where H1 holds.  [default: 0.05]")
@stopping_options
@store_options
@setting_options
@simulation_options
def command(
    a: str,
    b: str,
    field: str | None,
    all_mixes: bool,
    opponents: str | None,
    sprt: str | None,
    alpha: float | None,
    beta: float | None,
    as_json: bool,
    out: Path | None,
    **options: Any,
) -> int:
    """Find out whether strategy A is better than strategy B, on the same deals and in every seat.

    A block is one match number, played with A in each seat in turn.  Its score is A's share of the games won: in Domeng
    of the CAMAT appointments, where the fair share is 20 %, in Draw of the games, where it is 50 %.  Unless --blocks
    fixes their number, intervals hold at every look, so the run may be watched and stopped at any time.  Without
    options it goes on until the share is known to 0.2 percentage points; in Domeng at both ends, one A among four B and
    one B among four A.

    Each printed interval holds at 95 % by itself; the answer holds at 95 % over all comparisons behind it together.
    With fewer than 20 fixed blocks a difference is called only if the sign-flip test finds it too.

    A strategy written NAME@1 is a copy that draws other random numbers.

    \b
    Exit status: 0 answered; with --sprt 0 H1 accepted, 6 H0 accepted, 5 undecided at
    the limit; 2 bad input, 3 refused, 4 damaged data, 130 and 143 stopped by a signal.

    \b
    Examples:
      domeng-sim compare hunter random
      domeng-sim compare hunter banker --until decided --time-limit 60
      domeng-sim compare mine.toml:first random --sprt 0.20,0.21 && echo better
      domeng-sim compare hunter banker --opponents random --blocks 5000 --seed 1
      domeng-sim compare starver blocker --game draw
    """
    options |= {"out": out}
    check_store(options)
    gate = _gate(sprt, alpha, beta)
    setting = make_setting(options)
    first, second = strategies([a, b], setting.spec)
    company: tuple[Any, ...] = ()
    if opponents is not None:
        if field is not None:
            raise BadInput("--opponents and --field do not go together; give one of them")
        texts = [piece.strip() for piece in opponents.split(",")]
        company = strategies(texts * (setting.seats - 1) if len(texts) == 1 else texts, setting.spec)
    question = Question(setting, first, second, _counts(field, gate, setting.seats), all_mixes, company, gate)
    stopping = make_stopping(options, Stopping(radius=0.0 if gate else DEFAULT_RADIUS))
    if gate and (stopping.fixed or stopping.radius or stopping.decided):
        raise BadInput("--sprt decides when to stop; it goes with --max-blocks and --time-limit only")
    return _play(question, stopping, field, options, as_json)


def _play(question: Question, stopping: Stopping, field: str | None, options: dict[str, Any], as_json: bool) -> int:
    from domeng_sim.cli.signals import stop_on_signals
    from domeng_sim.comparisons.comparison import compare

    out = options["out"]
    with stop_on_signals(resume_hint(_words(question, stopping, field), out)) as stop, contextlib.ExitStack() as stack:
        store = None
        if out is not None:
            from domeng_sim.comparisons.block_store import open_store

            flags = {"resume": options["resume"], "overwrite": options["overwrite"]}
            content = question.to_json()
            store = stack.enter_context(open_store(out, "compare", question.setting, content, **flags))
        tell_seed(options, question.setting, "{} against {}".format(*question.names))
        result = compare(question, stopping, make_session(options, stop, store))
        stop.over()  # what is known is printed, also after a signal
        words = _words(question, stopping.reached(result.blocks, result.reason), field)
        document = {"command": shlex.join(words), **result.to_json()}
        if store is not None:
            store.finish(document, result.reason != "stopped")
        with reader_may_leave():
            _show(result, document, words, as_json, options["color"])
        if result.reason == "stopped":
            stop.tell()
            raise Interrupted(stop.status)
    return STATUS[result.test.verdict] if result.test is not None else 0


def _show(result: Comparison, document: dict[str, Any], words: list[str], as_json: bool, color: str) -> None:
    if as_json:
        print_json(document)
        return
    from domeng_sim.cli.render_studies import print_comparison
    from domeng_sim.cli.terminal import terminal

    print_comparison(terminal(color), result, words)
