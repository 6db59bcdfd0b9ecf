"""Stories of rounds as lines of text: one after the other, or a page for each step."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from domeng_sim.games.shared.narrative import Look, Step, Story, TellingSpec

PLAYED = ("lead", "play")
_INDENT, _NARROW_INDENT, _NARROW = 5, 2, 60
_LEAST_PICTURE = 6
_GAP, _BESIDE, _LEAST_BESIDE = 3, 31, 40
"""Columns between the picture and what stands at its side, of that, and of the picture."""
CHARACTERS = "─│┌┐└┘├┤┬┴┼━┃┏┓┗┛┠┨┯┷╌┊═║╔╗╚╝→←↑↓×‹›…"
"""What the pictures are made of, unless in ASCII."""


class PageLine(NamedTuple):
    """A line and its style.

    Attributes
    ----------
    text
        The line.
    style
        ``title``, ``step`` or empty.
    """

    text: str
    style: str = ""


def wrapped(text: str, width: int, indent: int = 0, first: str = "") -> list[str]:
    """A text in lines; that of a table, which has two blanks in a row, is left as it is.

    Parameters
    ----------
    text
        What is said.
    width
        Columns.
    indent
        Blanks before each line.
    first
        What stands there in the first line.
    """
    head = first.ljust(indent)
    if "  " in text.strip() and len(text) + indent <= width:
        return [head + text]
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=" " * max(indent, 2 if text[:1] == " " else 0)
    ) or [""]


def told(story: Story, telling: TellingSpec, look: Look) -> list[PageLine]:
    """A round from its beginning to its end: each step with its number, and the table after each play.

    Parameters
    ----------
    story
        The round.
    telling
        Of its game.
    look
        How it is drawn.
    """
    indent = _INDENT if look.width >= _NARROW else _NARROW_INDENT
    small = Look(look.ascii, look.width - indent)
    lines = [PageLine(text, "title") for text in wrapped(story.opening[0], look.width)]
    for text in story.opening[1:]:
        lines += [PageLine(line) for line in wrapped(text, look.width)]
    lines.append(PageLine(""))
    for step in story.steps:
        lines += [PageLine(line) for line in wrapped(step.text, look.width, _INDENT, f"{step.at:3}")]
        if step.event in PLAYED:
            lines += [PageLine((" " * indent + line).rstrip()) for line in telling.picture(step, small)]
    if story.closing:
        lines.append(PageLine(""))
    for text in story.closing:
        lines += [PageLine(line) for line in wrapped(text, look.width)]
    return lines


@dataclass(frozen=True)
class Page:
    """What is shown at a time.

    Attributes
    ----------
    title
        Which round and step.
    texts
        What happened.
    step
        The table.
    is_end
        Whether the texts tell already what everybody holds.
    """

    title: str
    texts: tuple[str, ...]
    step: Step
    is_end: bool = False


def pages_of(stories: Sequence[Story]) -> list[Page]:
    """Pages of some rounds: the deal, each step, and the end."""
    pages = []
    for story in stories:
        where = f"match {story.match}, game {story.game}, round {story.round}"
        pages.append(Page(f"{where}: the deal", story.opening[1:2], story.start))
        last = story.steps[-1].at if story.steps else story.start.at
        pages += [Page(f"{where}, step {step.at} of {last}", (step.text,), step) for step in story.steps]
        if story.closing:
            pages.append(Page(f"{where}: the end", story.closing, story.steps[-1], is_end=True))
    return pages


def page_lines(page: Page, telling: TellingSpec, look: Look) -> list[PageLine]:
    """A page in as many lines as there are: what does not fit is left out, hands first, and last parts of the table.

    Parameters
    ----------
    page
        What is shown.
    telling
        Of its game.
    look
        How it is drawn; its height is that of the page.
    """
    head = [PageLine(text, "title") for text in wrapped(page.title, look.width)]
    words = [line for text in page.texts for line in wrapped(text, look.width)]
    standing = [] if page.is_end else telling.standing(page.step, look)
    picture = telling.picture(page.step, Look(look.ascii, look.width))
    if not look.height:
        return _joined(head, words, picture, standing, True)
    room = look.height - len(head) - len(words)
    if len(picture) + len(standing) + 2 <= room:
        return _joined(head, words, picture, standing, True)
    beside = None if page.is_end else _beside(page.step, telling, look)
    if beside is not None and len(beside) <= room:
        return _joined(head, words, beside, [], False)
    if len(picture) > room:
        for_picture = max(room - len(standing), min(len(picture), _LEAST_PICTURE))
        picture = telling.picture(page.step, Look(look.ascii, look.width, for_picture))
    left = room - len(picture)
    if len(standing) > left:
        more = "..." if look.ascii else "…"
        standing = [*standing[: max(left - 1, 0)], more][: max(left, 0)]
    return _joined(head, words, picture, standing, False)[: look.height]


def whole_table(step: Step, telling: TellingSpec, look: Look) -> list[str]:
    """The table and what each seat holds, nothing cut: side by side, or the table last, where they are too high.

    Parameters
    ----------
    step
        The table.
    telling
        Of its game.
    look
        How it is drawn; the table is in its last lines, whatever scrolls away.
    """
    free = Look(look.ascii, look.width)
    picture, standing = telling.picture(step, free), telling.standing(step, free)
    if len(picture) + 1 + len(standing) <= look.height:
        return [*picture, "", *standing]
    beside = _beside(step, telling, free)
    if beside is not None and len(beside) <= look.height:
        return beside
    return [*standing, *picture]


def _beside(step: Step, telling: TellingSpec, look: Look) -> list[str] | None:
    """The whole picture with what each seat holds at its side; None if there is no room for that."""
    room = look.width - _BESIDE - _GAP
    if room < _LEAST_BESIDE:
        return None
    picture = telling.picture(step, Look(look.ascii, room))
    standing = telling.standing(step, Look(look.ascii, _BESIDE))
    size = max(map(len, picture), default=0)
    # a picture that fills all columns goes on beyond them
    if max(map(len, standing), default=0) > _BESIDE or size >= room:
        return None
    pairs = itertools.zip_longest(picture, standing, fillvalue="")
    return [(left.ljust(size + _GAP) + right).rstrip() for left, right in pairs]


def _joined(
    head: Sequence[PageLine], words: Sequence[str], picture: Sequence[str], standing: Sequence[str], airy: bool
) -> list[PageLine]:
    gap = [PageLine("")] if airy else []
    body = [[PageLine(text) for text in part] for part in (words, picture, standing)]
    return [*head, *body[0], *gap, *body[1], *gap, *body[2]]
