"""What a tuning found: as objects, as JSON, in a sentence, and as a file of strategies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tomli_w

from domeng_sim.comparisons.result import ComparisonResult
from domeng_sim.comparisons.stopping import REASONS, Stopping
from domeng_sim.comparisons.tuning_goal import TuneGoal
from domeng_sim.core.printable import printable
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import DEFAULT_GAME, DEFAULT_GAMES
from domeng_sim.runs.provenance import other_rules, software
from domeng_sim.stats.estimate import Estimate
from domeng_sim.strategies.spec import StrategySpec

SCHEMA_VERSION = 1
"""Of `TuneResult.to_json`; rises when a reader of the old form would be misled."""
_REASONS = {**REASONS, "generations": "all generations that were asked for are played"}


@dataclass(frozen=True)
class Generation:
    """A generation: who was in it, and what came out.

    Attributes
    ----------
    middle
        Weights of the middle of the distribution, thousandths.
    candidates
        Weights of the candidates.
    won
        Numerators of the candidates' shares, added up over the blocks.
    start_share
        Share of games of the start on these deals.
    share, error
        Of the middle, with its standard error.
    gain, gain_error
        Of the middle over the start on the same deals, with its standard error.
    best_share, best_error
        Of the candidate that did best: too high, since it was chosen for it.
    """

    middle: tuple[int, ...]
    candidates: tuple[tuple[int, ...], ...]
    won: tuple[int, ...]
    start_share: float
    share: float
    error: float
    gain: float
    gain_error: float
    best_share: float
    best_error: float

    @property
    def sentence(self) -> str:
        """How the best so far did, in words; no gain is claimed that its standard error exceeds."""
        told = f"best so far {100 * self.share:.2f} %, standard error {100 * self.error:.2f}"
        if not self.gain > self.gain_error:
            return f"{told}; no gain over the start that exceeds its standard error"
        return f"{told}; {100 * self.gain:+.2f} pp over the start, standard error {100 * self.gain_error:.2f}"

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, None for an error that one block does not tell."""

        def plain(x: float) -> float | None:
            return x if math.isfinite(x) else None

        return {
            "middle": list(self.middle),
            "candidates": [list(row) for row in self.candidates],
            "won": list(self.won),
            "start_share": self.start_share,
            "share": self.share,
            "error": plain(self.error),
            "gain": self.gain,
            "gain_error": plain(self.gain_error),
            "best_share": self.best_share,
            "best_error": plain(self.best_error),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Generation:
        """The generation of such a record."""
        numbers = {name: math.inf if (x := record[name]) is None else float(x) for name in _NUMBERS}
        rows = tuple(tuple(map(int, row)) for row in record["candidates"])
        return cls(tuple(map(int, record["middle"])), rows, tuple(map(int, record["won"])), **numbers)


def _percent(share: Estimate) -> str:
    if share.value is None:
        return "not known"
    told = f"{100 * share.value:.2f} %"
    if share.low is None or share.high is None:
        return told
    return f"{told}, {100 * share.level:.6g} % interval {100 * share.low:.2f} to {100 * share.high:.2f}"


_NUMBERS = ("start_share", "share", "error", "gain", "gain_error", "best_share", "best_error")


@dataclass(frozen=True, repr=False)
class TuneResult:
    """The answer.

    Attributes
    ----------
    goal
        What was asked.
    tuned
        The new strategy.
    history
        All generations.
    gates
        The new strategy against its start on fresh deals, and both in the company that it was tuned against where that
        is another; empty where it plays as the start, and after a stop.
    reason, seconds
        Why it ended, and after how long.
    """

    goal: TuneGoal
    tuned: StrategySpec
    history: tuple[Generation, ...]
    gates: tuple[ComparisonResult, ...]
    reason: str
    seconds: float

    def __repr__(self) -> str:
        return f"<Tuning: {self.sentence} ({len(self.history)} generations)>"

    @property
    def games(self) -> int:
        """Games played in all generations, those of the start and the middle too."""
        goal = self.goal
        each = goal.blocks * goal.setting.seats * goal.setting.games_per_match
        return (goal.population + 2) * each * len(self.history)

    @property
    def is_better(self) -> bool:
        """Whether the gates call the new strategy better than its start, and nowhere worse."""
        signs = [call.sign for gate in self.gates for call in gate.decisions]
        return 1 in signs and -1 not in signs and self.reason != "stopped"

    @property
    def sentence(self) -> str:
        """The answer in words."""
        name, start = self.goal.name, self.goal.start.name
        if self.reason == "stopped":
            return (
                f"stopped after {len(self.history)} generations; {name} is the best so far, and did not pass the gate"
            )
        if not self.gates:
            return f"{name} plays as {start}: no better weights were found"
        told = "; ".join(gate.sentence for gate in self.gates)
        return told if self.is_better else f"no gain of {name} over {start} is established: {told}"

    def _gate_command(self, gate: ComparisonResult) -> str:
        """The command that plays a gate again."""
        setting, usual = self.goal.setting, Stopping()
        company = ",".join(one.text for one in gate.question.company)
        fields = {
            "game": setting.game if setting.game != DEFAULT_GAME else None,
            "rules": other_rules(setting.spec, setting.rules),
            "seed": setting.seed,
            "games_per_match": setting.games_per_match if setting.games_per_match != DEFAULT_GAMES else None,
            "opponents": company or None,
            "blocks": gate.blocks,
            "level": self.goal.level if self.goal.level != usual.level else None,
        }
        return command_line("compare", fields, (self.goal.text, self.goal.start.text))

    def to_toml(self, command: str) -> str:
        """A file of strategies with where it comes from.

        Parameters
        ----------
        command
            That gives the same again.
        """
        goal, spec = self.goal, self.goal.setting.spec
        rules = ", ".join(f"{rule.name}={goal.setting.rules[rule.name]}" for rule in spec.rules)
        notes = [
            f"Made by: {command}",
            f"Seed {goal.setting.seed}, {len(self.history)} generations, {self.games} games; rules: {rules}.",
            "Versions: " + ", ".join(f"{name} {version}" for name, version in software().items()) + ".",
            f"Answer: {self.sentence}.",
        ]
        for gate in self.gates:
            notes.append(f"Gate: {self._gate_command(gate)}")
            notes += [f"  {end.label}: {_percent(end.share)}, {end.games} games" for end in gate.ends]
        others = ", ".join(dict.fromkeys(one.text for one in goal.company))
        source = f"CMA-ES from {goal.start.text} against {others}; {self.sentence}"
        entry = {
            "name": goal.name,
            "summary": f"{goal.start.name} with tuned weights",
            "source": source,
            "temperature": self.tuned.temperature,
            "weights": {feature: weight / 1000 for feature, weight in self.tuned.weights.items()},
        }
        lines = [f"# {printable(note)}" for note in notes]
        content = {"game": spec.name, "strategy": [entry]}
        return "\n".join(lines) + "\n" + tomli_w.dumps(content)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        goal = self.goal
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "tune",
            **goal.setting.to_json(),
            "name": goal.name,
            "start": goal.start.to_json(),
            "against": [one.to_json() for one in goal.company],
            "features": list(goal.features),
            "weights_thousandths": dict(self.tuned.weights),
            "temperature": self.tuned.temperature,
            "population": goal.population,
            "unit_of_analysis": "block",
            "blocks": goal.blocks,
            "looks": len(self.history),
            "games": self.games,
            "generations": [{**one.to_json(), "sentence": one.sentence} for one in self.history],
            "gates": [{"command": self._gate_command(gate), **gate.to_json()} for gate in self.gates],
            "better": self.is_better,
            "reason": self.reason,
            "reason_in_words": _REASONS[self.reason],
            "sentence": self.sentence,
            "seconds": self.seconds,
        }
