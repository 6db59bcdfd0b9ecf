"""What a comparison of two strategies found, as objects, as JSON and in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from domeng_sim.comparisons.block_estimates import Secondary
from domeng_sim.comparisons.decide import Call
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.stopping import REASONS, Stopping
from domeng_sim.stats.blocks import SignFlip
from domeng_sim.stats.estimate import KINDS, Estimate
from domeng_sim.stats.sprt import Verdict

SCHEMA_VERSION = 1
"""Of `Comparison.to_json`; rises when a reader of the old form would be misled."""


def negative(estimate: Estimate) -> Estimate:
    """The estimate of the opposite."""
    value, low, high = (None if x is None else -x for x in (estimate.value, estimate.high, estimate.low))
    return replace(estimate, value=value, low=low, high=high)


@dataclass(frozen=True)
class TableResult:
    """How one strategy does at one kind of table.

    Attributes
    ----------
    label
        ``hunter among four random``.
    subject, field
        Names of the strategies, for people.
    share, excess, strength, elo
        The primary measure in four scales; the share's fair value is that of equal players.
    differing
        Blocks whose score is not the fair one.
    blocks, games, finished, rounds
        Blocks and games played, games that somebody won, and rounds.
    sign_flip
        Test that needs no spread, where few blocks differ; else None.
    same
        Whether subject and field play alike by construction.
    secondary
        Exploratory measures.
    decision
        Whether a difference from the fair share is called, over all tables that were asked for together.
    """

    label: str
    subject: str
    field: str
    share: Estimate
    excess: Estimate
    strength: Estimate
    elo: Estimate
    differing: int
    blocks: int
    games: int
    finished: int
    rounds: int
    sign_flip: SignFlip | None
    same: bool
    secondary: tuple[Secondary, ...]
    decision: Call

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``equal`` (by construction), ``undecided`` or ``no game finished``."""
        if self.games and not self.finished:
            return "no game finished"
        if self.same:
            return "equal"
        return {1: "better", -1: "worse", 0: "undecided"}[self.decision.sign]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "equal":
            return f"{self.subject} and {self.field} play the same here: the share is the fair one by construction"
        if self.verdict == "no game finished":
            return "no game was finished, so nothing can be said"
        if self.verdict == "undecided":
            return f"undecided whether {self.subject} does better or worse than {self.field} here"
        return f"{self.subject} does {self.verdict} than {self.field} here"

    def to_json(self, with_value: bool = True) -> dict[str, Any]:
        """Plain numbers, None for what is not estimable."""

        def shown(estimate: Estimate) -> dict[str, Any]:
            return estimate.to_json() | ({} if with_value else {"value": None})

        return {
            "label": self.label,
            "subject": self.subject,
            "field": self.field,
            "share": shown(self.share),
            "excess": shown(self.excess),
            "log_strength": shown(self.strength),
            "elo": shown(self.elo),
            "blocks": self.blocks,
            "blocks_that_differ": self.differing,
            "games": self.games,
            "games_without_winner": self.games - self.finished,
            "rounds": self.rounds,
            "sign_flip": None if self.sign_flip is None else {"p": self.sign_flip.p, "exact": self.sign_flip.exact},
            "p": self.decision.p,
            "p_holm": self.decision.adjusted,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "exploratory": [
                {
                    "key": row.key,
                    "label": row.label,
                    "subject": row.subject.to_json(),
                    "others": row.others.to_json(),
                    "difference": row.difference.to_json(),
                }
                for row in self.secondary
            ],
        }


@dataclass(frozen=True)
class Switch:
    """Effect of changing one seat from B to A beside `others` other A's."""

    others: int
    as_a: Estimate
    as_b: Estimate
    effect: Estimate
    differing: int
    decision: Call

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "other_a": self.others,
            "share_as_a": self.as_a.to_json(),
            "share_as_b": self.as_b.to_json(),
            "effect": self.effect.to_json(),
            "blocks_that_differ": self.differing,
            "p": self.decision.p,
            "p_holm": self.decision.adjusted,
        }


@dataclass(frozen=True, repr=False)
class ComparisonResult:
    """The answer.

    Attributes
    ----------
    question
        What was asked.
    stopping
        How far it was to go.
    blocks, looks
        Blocks in the answer, and how often they were looked at.
    rounds, games
        Played in these blocks.
    reason
        Why it ended: a key of `stopping.REASONS`.
    ends
        The tables that were asked for, in order.
    switches
        Switch effects with 0, 1, ... other A's at the table; empty unless all mixes were played.
    difference
        Share of A less that of B in the same company; None unless there is one.
    difference_decision
        Whether it is called; None unless there is one.
    difference_differing
        Blocks where these shares differ.
    difference_saving
        Variance of the difference on independent deals over that on common deals; None if it cannot be told.
    test
        Where the sequential test stands; None unless there is one.
    seconds
        Time of this call.
    """

    question: Question
    stopping: Stopping
    blocks: int
    looks: int
    rounds: int
    games: int
    reason: str
    ends: tuple[TableResult, ...]
    switches: tuple[Switch, ...]
    difference: Estimate | None
    difference_decision: Call | None
    difference_differing: int
    difference_saving: float | None
    test: Verdict | None
    seconds: float

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence} ({self.blocks} blocks)>"

    @property
    def effects(self) -> list[Estimate]:
        """What speaks for A (above 0) or B (below 0), one estimate for each company."""
        if self.difference is not None:
            return [self.difference]
        if self.switches:
            return [switch.effect for switch in self.switches]
        return [end.excess if place.own_a else negative(end.excess) for end, place in self._placed()]

    @property
    def decisions(self) -> list[Call]:
        """Whether the effects are called, all of them together: 1 speaks for A, -1 for B."""
        if self.difference_decision is not None:
            return [self.difference_decision]
        if self.switches:
            return [switch.decision for switch in self.switches]
        return [end.decision if place.own_a else end.decision.opposite for end, place in self._placed()]

    def _placed(self) -> Iterable[tuple[TableResult, Any]]:
        return zip(self.ends, self.question.subjects(), strict=True)

    @property
    def depends_on_company(self) -> bool:
        """Whether A is established as better in some company and as worse in another."""
        signs = {decision.sign for decision in self.decisions}
        return {1, -1} <= signs and not self.question.same

    @property
    def sentence(self) -> str:
        """The answer in words."""
        a, b = self.question.names
        if self.test is not None:
            words = {"H0": "H0 is accepted", "H1": "H1 is accepted", "undecided": "undecided, the limit was reached"}
            where = "against" if self.question.setting.seats == 2 else "among"
            return f"sequential test of the share of {a} {where} {b}: {words[self.test.verdict]}"
        if not self.blocks:
            return "no block was complete, so nothing can be said"
        if self.games and not any(end.finished for end in self.ends):
            return "no game was finished, so nothing can be said"
        if self.question.same:
            return f"{a} and {b} play the same: every block gives exactly the same to both"
        if self.depends_on_company:
            return f"which is better depends on the company: {self._companies()}"
        if self.difference is not None:
            where = self.ends[0].field
            told = {
                1: f"{a} does better than {b}",
                -1: f"{b} does better than {a}",
                0: f"undecided between {a} and {b}",
            }
            beside = "against" if self.question.setting.seats == 2 else "in the company of"
            return f"{told[self.decisions[0].sign]} {beside} {where}"
        signs = [decision.sign for decision in self.decisions]
        if all(s == signs[0] for s in signs) and signs[0]:
            better, worse = (a, b) if signs[0] > 0 else (b, a)
            tail = f": {self._companies()}" if self._both_ends else ""
            return f"{better} is better than {worse}{tail}"
        if any(signs):
            better, worse = (a, b) if max(signs) > 0 else (b, a)
            return f"{better} is better than {worse} in some company, the rest is undecided: {self._companies()}"
        return f"undecided between {a} and {b}"

    @property
    def _both_ends(self) -> bool:
        return not self.switches and len(self.ends) == 2

    def _companies(self) -> str:
        a, b = self.question.names
        if self.switches:
            words = {1: f"{a} better", -1: f"{b} better", 0: "undecided"}
            told = (f"beside {switch.others} other {a}: {words[switch.decision.sign]}" for switch in self.switches)
            return "; ".join(told)
        words = {1: "invades", -1: "does not invade", 0: "may or may not invade"}
        return "; ".join(f"{end.subject} {words[end.decision.sign]} a table of {end.field}" for end in self.ends)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable.

        After a sequential test the plain mean is biased, so no value stands beside the interval of the share.
        """
        test = self.test
        question = self.question
        kinds = {
            estimate["kind"]
            for end in self.ends
            for estimate in (end.share.to_json(), *(row.difference.to_json() for row in end.secondary))
        }
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "compare",
            **question.setting.to_json(),
            "a": question.a.to_json(),
            "b": question.b.to_json(),
            "against": [spec.to_json() for spec in question.company] or None,
            "fair_share": question.setting.fair,
            "stopping": self.stopping.to_json(),
            "interval": "fixed" if self.stopping.fixed else "anytime",
            "kinds": {str(kind): KINDS[str(kind)] for kind in sorted(map(str, kinds))},
            "unit_of_analysis": "block",
            "blocks": self.blocks,
            "looks": self.looks,
            "games": self.games,
            "rounds": self.rounds,
            "reason": self.reason,
            "reason_in_words": REASONS[self.reason],
            "ends": [end.to_json(with_value=test is None) for end in self.ends],
            "switch_effects": [switch.to_json() for switch in self.switches] or None,
            "difference": None if self.difference is None else self.difference.to_json(),
            "blocks_that_differ_in_difference": self.difference_differing if self.difference is not None else None,
            "difference_p": None if self.difference_decision is None else self.difference_decision.p,
            "answer_from_intervals": len(self.decisions),
            "answer_level": self.stopping.level,
            "answer_adjusted_by": "holm",
            "difference_variance_ratio_to_independent_deals": self.difference_saving,
            "depends_on_company": self.depends_on_company,
            "sprt": None
            if test is None or question.sprt is None
            else {
                "s0": question.sprt.s0,
                "s1": question.sprt.s1,
                "alpha": question.sprt.alpha,
                "beta": question.sprt.beta,
                "llr": test.llr,
                "lower": test.lower,
                "upper": test.upper,
                "blocks": test.blocks,
                "verdict": test.verdict,
            },
            "sentence": self.sentence,
            "seconds": self.seconds,
        }
