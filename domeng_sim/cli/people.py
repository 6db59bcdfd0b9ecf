"""Shows a match to the people who play it, and asks them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rich.text import Text

from domeng_sim.analysis.format import shown
from domeng_sim.cli.ask import MARGIN, Asker
from domeng_sim.cli.entry import MoveChoice
from domeng_sim.cli.grid import NOTE, TITLE
from domeng_sim.cli.numbers import Glyphs, folded
from domeng_sim.cli.odds_page import ADVICE, move_lines
from domeng_sim.cli.show_page import whole_table
from domeng_sim.cli.terminal import glyphs_of, terminal
from domeng_sim.games.shared.glossary import explained
from domeng_sim.games.shared.narrative import Look, Step, Story
from domeng_sim.games.shared.words import ends_text, listed
from domeng_sim.games.types import LegalMove
from domeng_sim.positions.advise import Adviser, Reviewed
from domeng_sim.positions.interactive_match import Keeper, Sitting, is_move
from domeng_sim.positions.odds import odds_of
from domeng_sim.positions.odds_result import MoveOdds
from domeng_sim.stats.estimate import Estimate

HELP = """\
A number plays that move; so do arrows and Enter, or a tile and its end: 6|4r. A single move is played at once.
h hint, the odds of each move · t the table again · q leave, the game is kept
? cappu, or any other word of the game: what it means"""
_TAILS = ("int", "able")
_STYLES = {"pass": NOTE, "passebunge": "yellow", "award": TITLE, "end": TITLE, "camat": TITLE}


class Left(Exception):
    """Somebody left the table; `args[0]` is the exit status."""


@dataclass
class Manners:
    """How a match is shown.

    Attributes
    ----------
    ascii
        Whether to do without characters beyond ASCII.
    color
        ``auto``, ``always`` or ``never``.
    pace
        Seconds between two things that others do.
    hints
        Whether the odds are shown before every decision.
    review
        Whether a person's decisions are looked at after each round.
    """

    ascii: bool
    color: str
    pace: float
    hints: bool
    review: bool


@dataclass
class Host:
    """Leads people through a match.

    Attributes
    ----------
    sitting
        The match.
    keeper
        Keeps it on disk.
    asker
        Asks people.
    manners
        How it is shown.
    adviser
        Finds odds; None where the game has none.
    """

    sitting: Sitting
    keeper: Keeper
    asker: Asker
    manners: Manners
    adviser: Adviser | None
    _told: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By person, what was told: game, round and steps of it; a round that was told to its end has -1."""
    _viewer: int = -1
    _forced: set[tuple[int, int, int]] = field(default_factory=set)
    """Game, round and step of moves that were the only ones."""
    _known_to: tuple[int, int, int] = (0, 0, 0)
    """Game, round and step from which on what others do is news."""

    def play(self) -> None:
        """Play until the match is over.

        Raises
        ------
        Left
            If somebody leaves.
        """
        try:
            while (asked := self.sitting.standing.undecided) is not None:
                if len(asked.moves) == 1:
                    # it is told with the other news, and that it was the only one
                    self._forced.add(
                        (self.sitting.standing.game, self.sitting.standing.round, self.sitting.standing.step)
                    )
                    self._choose(0)
                    continue
                self._turn_to(asked.seat)
                self._tell_news()
                self._ask(asked.moves)
            # who moved last is told first, and then the others, each by themselves
            for seat in sorted(self.sitting.people, key=lambda seat: seat != self._viewer):
                if self._has_news(seat):
                    self._turn_to(seat)
                    self._tell_news()
        except KeyboardInterrupt:
            raise Left(130) from None
        except EOFError:
            raise Left(0) from None

    # --- What is shown ------------------------------------------------------------------------------------------------

    def _say(self, text: str = "", style: str = "") -> None:
        self._show([text], style)

    def _show(self, lines: Iterable[str], style: str = "") -> None:
        """Print lines; those that are too long are broken."""
        console = terminal(self.manners.color)
        for line in lines:
            for piece in [line] if len(line) <= console.width else folded(line, console.width, indent="  "):
                console.print(Text(piece, style), soft_wrap=True)

    def _turn_to(self, seat: int) -> None:
        """Somebody else comes to the keyboard: what the one before saw goes away."""
        if seat == self._viewer:
            return
        if len(self.sitting.people) > 1:
            self.asker.clear()
            self._wait(f"Seat {seat}: press Enter when nobody else looks ")
            self.asker.clear()
        self._viewer = seat

    def _wait(self, words: str) -> None:
        """Wait for Enter; questions are answered."""
        while answer := self.asker.wait(words).strip().lower():
            if answer in ("q", "quit", "exit"):
                raise EOFError
            if answer[0] != "?":
                return
            self._help(answer[1:])

    def _names(self) -> dict[int, str]:
        return {
            number: "you" if number == self._viewer else f"seat {number} ({seat.text})"
            for number, seat in enumerate(self.sitting.config.seats)
        }

    def _look(self, n_moves: int) -> Look:
        """As many lines as the screen has above so many moves and an empty line; what is higher is scrolled."""
        console = terminal(self.manners.color)
        height = max(console.size.height - self.asker.menu(n_moves) - 1, 1)
        return Look(ascii=self.manners.ascii, width=console.width, height=height)

    def _story(self, key: tuple[int, int], everything: bool = False) -> Story:
        spec, rules = self.sitting.config.spec, self.sitting.config.rules
        assert spec.telling is not None
        viewers = None if everything else frozenset({self._viewer})
        return spec.telling.tell(self.sitting.standing.rows, rules, key, self._names(), viewers)

    def _keys(self) -> list[tuple[int, int]]:
        """Games and rounds so far."""
        rows = self.sitting.standing.rows
        return list(dict.fromkeys(zip(rows["game"], rows["round"], strict=True)))

    def _has_news(self, seat: int) -> bool:
        """Whether a round has gone on or ended since a person was told."""
        return self._told.get(seat, (-1, -1, 0)) != (*self._keys()[-1], -1)

    def skip_told(self) -> None:
        """Take a match that is gone on with as told: its rounds that are over, and the pace of the one under way."""
        standing = self.sitting.standing
        over = self._keys() if standing.undecided is None else self._keys()[:-1]
        if over:
            self._told = dict.fromkeys(self.sitting.people, (*over[-1], -1))
        self._known_to = (standing.game, standing.round, standing.step)

    def _tell_news(self) -> None:
        """Tell the viewer what has happened since the last look."""
        game, round_, n_steps = self._told.get(self._viewer, (-1, -1, 0))
        for key in [key for key in self._keys() if key >= (game, round_)]:
            is_new = key != (game, round_)
            told = 0 if is_new else n_steps
            if told < 0:
                continue
            story = self._story(key)
            if is_new:
                self._open(story)
            self._tell_steps(key, story.steps[told:])
            if story.is_over:
                self._close(story)
            self._told[self._viewer] = (*key, -1 if story.is_over else len(story.steps))

    def _open(self, story: Story) -> None:
        self._say()
        for number, line in enumerate(story.opening):
            self._say(line, "" if number else TITLE)
        if (story.game, story.round) == (0, 0) and self._known_to == (0, 0, 0) and self._may_pause():
            self._say()
            self._wait("Enter to begin, ? for the rules ")

    def _tell_steps(self, key: tuple[int, int], steps: Iterable[Step]) -> None:
        for step in steps:
            at = (*key, step.at)
            is_chosen = step.seat == self._viewer and is_move(step.event) and at not in self._forced
            if at >= self._known_to and not is_chosen:
                time.sleep(self.manners.pace)
            self._say(step.text, _STYLES.get(step.event, ""))

    def _may_pause(self) -> bool:
        """Whether to wait between rounds: for one person who is in no hurry."""
        return len(self.sitting.people) == 1 and bool(self.manners.pace)

    def _close(self, story: Story) -> None:
        spec = self.sitting.config.spec
        assert spec.telling is not None
        console = terminal(self.manners.color)
        self._show(["", *spec.telling.picture(story.steps[-1], Look(self.manners.ascii, console.width)), ""])
        # now nothing is hidden: what the others held teaches most
        self._show(self._story((story.game, story.round), everything=True).closing)
        if self.manners.review:
            self._review(story)
        if self.sitting.standing.undecided is not None and self._may_pause():
            self._say()
            self._wait("Enter for the next round, q to leave ")

    # --- What is asked ------------------------------------------------------------------------------------------------

    def _ask(self, legal: Sequence[LegalMove]) -> None:
        """Let the viewer choose."""
        self._show_table(len(legal))
        decision = MoveChoice.of(legal, self._viewer, self.sitting.standing.rows)
        moves = decision.texts()
        if max(map(len, moves)) + MARGIN > terminal(self.manners.color).width:
            moves = decision.texts(ends="")
        if self.manners.hints:
            self._hint()
        said = ""
        while True:
            answer = self.asker.choose(moves, said)
            command = answer.strip().lower()
            said = ""
            if command in _TAILS:
                # of a command that its first letter has given already
                continue
            if command in ("q", "quit", "exit"):
                raise EOFError
            if command in ("h", "hint"):
                said = self._hint()
            elif command == "help" or command[:1] == "?":
                self._help(command.removeprefix("?") if command != "help" else "")
            elif command in ("t", "table"):
                self._show_table(len(moves))
            else:
                found = decision.read(answer)
                if isinstance(found, int):
                    self._choose(found)
                    return
                said = found

    def _show_table(self, n_moves: int) -> None:
        """Show what lies on the table, what everybody has, and the viewer's hand, above so many moves."""
        standing, spec = self.sitting.standing, self.sitting.config.spec
        assert spec.telling is not None
        story = self._story((standing.game, standing.round))
        here = story.steps[-1] if story.steps else story.start
        self._show(["", *whole_table(here, spec.telling, self._look(n_moves)), ""])

    def _help(self, word: str) -> None:
        """Say what a word means; without one, how the game is played and what the keys do."""
        config = self.sitting.config
        assert config.spec.telling is not None
        if word.strip():
            self._show([explained(config.spec.telling.glossary(config.rules), word), ""])
            return
        self._say(f"How {config.spec.title} is played", TITLE)
        self._show(config.spec.telling.lesson(config.rules))
        self._say()
        self._show([*(HELP.replace("·", "-") if self.manners.ascii else HELP).splitlines(), ""])

    def _choose(self, position: int) -> None:
        self.sitting.choose(position)
        self.keeper.keep()

    # --- Odds ---------------------------------------------------------------------------------------------------------

    def _hint(self) -> str:
        """Show the odds of each move; returns what is to be said where there are none."""
        if self.adviser is None:
            return f"There are no odds for {self.sitting.config.spec.title} yet."
        odds = self.adviser.hint()
        console = terminal(self.manners.color)
        lines = move_lines(odds, console.width, glyphs_of(console))
        self._show(lines[:1], TITLE)
        self._show(lines[1:])
        shown = [what.head for what in odds_of(odds.spec).measures if what.head]
        legend = f"; {odds_of(odds.spec).legend}" if all(head in lines[0] for head in shown) else ""
        self._say(f"{odds.samples:,} deals of what you do not see; {self.adviser.manner}{legend}.", NOTE)
        tied = [move.text for move in odds.tied]
        self._say(odds.advice if len(tied) == 1 else f"{listed(tied)} are equally good, as far as can be told.", ADVICE)
        self._say()
        return ""

    def _review(self, story: Story) -> None:
        """Say which decisions of the viewer cost how much."""
        if self.adviser is None:
            return
        found = self.adviser.review(story.game, story.round, self._viewer)
        self._say()
        self._say("Your decisions, by how often each move wins the round:", TITLE)
        if not found:
            self._say("There was nothing to choose.")
        glyphs = glyphs_of(terminal(self.manners.color))
        for one in found:
            where = "the lead" if one.ends[0] < 0 else f"at {ends_text(*one.ends)}"
            self._say(f"  {where}: {_judged(one, glyphs)}")
        if found:
            most = max(one.odds.samples or 0 for one in found)
            self._say(f"By up to {most:,} deals of what you did not see then; {self.adviser.manner}.", NOTE)


def _judged(one: Reviewed, glyphs: Glyphs) -> str:
    return glyphs.text(_judgement(one))


def _judgement(one: Reviewed) -> str:
    played = f"{one.played.text} {shown(one.played.figures['win'], 'share')}"
    if one.played.is_tied:
        tied = [move for move in one.odds.tied if move is not one.played]
        if not tied:
            return f"{played}: the best"
        return f"{played}: as good as any, as far as can be told{_by_amount(one, tied)}"
    assert one.cost is not None
    return f"{played}; better {one.best.text}, by {_points(_negative(one.cost))}"


def _by_amount(one: Reviewed, tied: list[MoveOdds]) -> str:
    """What moves that win equally often differ in, if the game goes by amounts too."""
    amount = next((what for what in odds_of(one.odds.spec).measures if what.decides_ties), None)
    if amount is None:
        return ""
    other = max(tied, key=lambda move: move.figures[amount.name].value or 0.0)
    own, best = one.played.figures[amount.name], other.figures[amount.name]
    if own.high is None or best.low is None or own.high >= best.low:
        return ""
    return f"; but {other.text} {shown(best)} {amount.unit}, not {shown(own)}"


def _points(difference: Estimate) -> str:
    """A difference of shares, in percentage points."""
    return f"{shown(difference, 'share', unit='')} pp"


def _negative(one: Estimate) -> Estimate:
    """The same difference, taken the other way."""
    value, low, high = (None if number is None else -number for number in (one.value, one.high, one.low))
    return replace(one, value=value, low=low, high=high)
