"""Is A better than B?  Each among the others on the same deals, with intervals that hold while one watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from domeng_sim.comparisons.block_estimates import Amounts, Running, elo, log_strength, share_numerators, share_range
from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.decide import Call, decide
from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.result import ComparisonResult, Switch, TableResult
from domeng_sim.comparisons.sequential import Chunk, StudySession, drive
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.runs.counters import Ints
from domeng_sim.stats import confseq
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.sprt import Sprt, Verdict


@dataclass
class TableScores:
    """A lineup while the study goes on: scores of its subject, and what was played.

    Attributes
    ----------
    lineup
        Who sits there.
    subject
        Whose share is looked at.
    setting
        What all games have in common.
    same
        Whether all members play alike by construction.
    """

    lineup: Lineup
    subject: int
    setting: Setting
    same: bool
    running: Running = field(init=False)
    amounts: Amounts = field(init=False)
    finished: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        self.running = Running(*share_range(self.lineup, self.subject, self.setting), self.same)
        self.amounts = Amounts(self.setting.spec.scoring(self.setting.rules), self.lineup, self.subject)

    def add(self, scores: Scores) -> Ints:
        """Take in further blocks; returns the numerators of the subject's share."""
        numerators = share_numerators(scores, self.lineup, self.subject, self.setting)
        self.running.add(numerators)
        self.amounts.add(scores)
        self.finished += int(scores.totals[:, 0].sum())
        self.rounds += int(scores.totals[:, 2].sum())
        return numerators

    def end(self, stopping: Stopping, looks: int, decision: Call) -> TableResult:
        """How the subject does."""
        setting, running = self.setting, self.running
        share = running.estimate(stopping, looks, f"share of games, fair {setting.fair:.10g}")
        strength = log_strength(share, setting.seats)
        few = running.differing < confseq.FEW_DIFFERING and not self.same and running.count > 0
        names = self.lineup.names
        return TableResult(
            label=self.lineup.label,
            subject=names[self.subject],
            field=", ".join(name for number, name in enumerate(names) if number != self.subject),
            share=share,
            excess=share.shifted(-setting.fair, "excess over the fair share of games"),
            strength=strength,
            elo=elo(strength),
            differing=running.differing,
            blocks=running.count,
            games=running.count * len(self.lineup.seatings) * setting.games_per_match,
            finished=self.finished,
            rounds=self.rounds,
            sign_flip=running.sign_flip() if few else None,
            same=self.same,
            secondary=tuple(self.amounts.estimates(stopping, looks, self.same)),
            decision=decision,
        )


class SwitchScores:
    """Switch effect of one seat beside so many other A's, while the study goes on.

    Parameters
    ----------
    question
        What was asked; all mixes are played.
    others
        Other A's at the table.
    """

    def __init__(self, question: Question, others: int) -> None:
        self._others, self._setting = others, question.setting
        lineups = question.lineups()
        self._with_a, self._with_b = lineups[others + 1], lineups[others]
        a_scale, a_null, _, a_high = share_range(self._with_a, 0, self._setting)
        b_scale, b_null, _, b_high = share_range(self._with_b, 1, self._setting)
        # both shares in units of one common scale
        self._a_factor, self._b_factor = b_scale, a_scale
        scale = a_scale * b_scale
        self._as_a = Running(a_scale, a_null, 0, a_high, question.same or others == self._setting.seats - 1)
        self._as_b = Running(b_scale, b_null, 0, b_high, question.same or others == 0)
        self.effect = Running(scale, 0, -b_high * a_scale, a_high * b_scale, question.same)

    def add(self, scores: Sequence[Scores]) -> None:
        """Take in further blocks of all mixes."""
        a = share_numerators(scores[self._others + 1], self._with_a, 0, self._setting)
        b = share_numerators(scores[self._others], self._with_b, 1, self._setting)
        self._as_a.add(a)
        self._as_b.add(b)
        self.effect.add(a * self._a_factor - b * self._b_factor)

    def switch(self, stopping: Stopping, looks: int, decision: Call) -> Switch:
        """The effect with its interval."""
        return Switch(
            self._others,
            self._as_a.estimate(stopping, looks, "share of games"),
            self._as_b.estimate(stopping, looks, "share of games"),
            self.effect.estimate(stopping, looks, "difference of shares"),
            self.effect.differing,
            decision,
        )


class Study:
    """A comparison under way.

    Parameters
    ----------
    question
        What was asked.
    stopping
        How far to go.
    """

    def __init__(self, question: Question, stopping: Stopping) -> None:
        self._question, self._stopping = question, stopping
        setting = question.setting
        self.lineups = question.lineups()
        self._subjects = question.subjects()
        alike = question.same and not question.company
        self._tables = [TableScores(self.lineups[s.lineup], s.member, setting, alike) for s in self._subjects]
        self._blocks = self._looks = self._games = self._rounds = 0
        self._difference: Running | None = None
        if question.company:
            scale, _, low, high = share_range(self.lineups[0], 0, setting)
            self._difference = Running(scale, 0, low - high, high - low, question.same)
        self._switches = (
            [SwitchScores(question, others) for others in range(setting.seats)] if question.all_mixes else []
        )
        self._sprt = Sprt(*question.sprt) if question.sprt else None
        self._test = self._sprt.decide([0, 0], [0.0, 1.0]) if self._sprt else None

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk."""
        self._blocks += len(chunk.blocks)
        for lineup, scores in zip(self.lineups, chunk.scores, strict=True):
            self._games += len(scores) * len(lineup.seatings) * self._question.setting.games_per_match
            self._rounds += int(scores.totals[:, 2].sum())
        added = [table.add(chunk.scores[s.lineup]) for table, s in zip(self._tables, self._subjects, strict=True)]
        if self._difference is not None:
            self._difference.add(added[0] - added[1])
        for switch in self._switches:
            switch.add(chunk.scores)

    def look(self) -> str:
        """Look at what is there: a reason to stop, or an empty text."""
        if self._sprt:
            if self._blocks < confseq.FIRST_LOOK:
                return ""
            self._looks += 1
            self._test = self._decide(self._sprt)
            return "" if self._test.verdict == "undecided" else "sprt"
        if self._stopping.fixed:
            self._looks = 1
            return ""
        self._looks += 1
        if self._stopping.decided:
            watched = self._behind_the_answer()
            called = [decision.sign != 0 for decision in decide(watched, self._stopping)]
        else:
            watched = [self._difference] if self._difference is not None else [table.running for table in self._tables]
            called = [False] * len(watched)
        known = (known or self._enough(running) for known, running in zip(called, watched, strict=True))
        return "until" if all(known) else ""

    def _behind_the_answer(self) -> list[Running]:
        """The scores from which the answer is made."""
        if self._difference is not None:
            return [self._difference]
        if self._switches:
            return [switch.effect for switch in self._switches]
        return [table.running for table in self._tables]

    def _enough(self, running: Running) -> bool:
        """Whether one of the figures that are watched is known well enough, called or not."""
        stopping = self._stopping
        estimate: Estimate = running.estimate(stopping, self._looks, "")
        half = estimate.half_width
        if half is None or not (stopping.radius or stopping.decided):
            return False
        if running.same and not running.differing:
            return True  # nothing will change it
        return stopping.radius > 0 and half <= stopping.radius

    def _decide(self, sprt: Sprt) -> Verdict:
        """The sequential test on the values that a block's share can take.

        With every game won these are 0, 1/(5 G), ..., 1; games without a winner put values in between.
        """
        running, seats = self._tables[0].running, self._question.setting.seats
        step = seats if all(value % seats == 0 for value in running.histogram) else 1
        values = range(running.low, running.high + 1, step)
        counts = [running.histogram[value] for value in values]
        return sprt.decide(counts, [value / running.scale for value in values])

    def _saving(self) -> float | None:
        """How much the common deals save where A and B are compared in the same company."""
        if self._difference is None or self._difference.count < 2 or not self._difference.moments.variance:
            return None
        apart = sum(table.running.moments.variance for table in self._tables)
        return apart / self._difference.moments.variance

    def result(self, reason: str, seconds: float) -> ComparisonResult:
        """What is known so far."""
        stopping, looks = self._stopping, self._looks
        difference = self._difference
        answer = decide(self._behind_the_answer(), stopping)
        tables = decide([table.running for table in self._tables], stopping)
        return ComparisonResult(
            question=self._question,
            stopping=stopping,
            blocks=self._blocks,
            looks=looks,
            rounds=self._rounds,
            games=self._games,
            reason=reason,
            ends=tuple(table.end(stopping, looks, one) for table, one in zip(self._tables, tables, strict=True)),
            switches=tuple(
                switch.switch(stopping, looks, one)
                for switch, one in zip(self._switches, answer if self._switches else (), strict=True)
            ),
            difference=difference.estimate(stopping, looks, "difference of shares") if difference is not None else None,
            difference_decision=answer[0] if difference is not None else None,
            difference_differing=difference.differing if difference is not None else 0,
            difference_saving=self._saving(),
            test=self._test,
            seconds=seconds,
        )


def compare(question: Question, stopping: Stopping, session: StudySession | None = None) -> ComparisonResult:
    """Compare two strategies.

    Parameters
    ----------
    question
        What is compared.
    stopping
        How far to go.
    session
        With how many threads, and where blocks are kept; the answer does not depend on it.

    Raises
    ------
    UserError
        If a user's function failed, or a file could not be written.
    """
    study = Study(question, stopping)
    reason, seconds = drive(question.setting, study.lineups, stopping, session or StudySession(), study.add, study.look)
    return study.result(reason, seconds)
