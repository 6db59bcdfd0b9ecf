"""Words that the stories of all games are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from domeng_sim.core.tiles import HALVES, tile_text

_PLURAL = {"has": "have", "is": "are", "PASSes": "PASS"}


def bracketed(tile: int) -> str:
    """A tile as the rules write it.

    Examples
    --------
    >>> bracketed(27)
    '[6|6]'
    """
    return f"[{tile_text(tile)}]"


def tiles_text(tiles: Iterable[int]) -> str:
    """Tiles, the highest first.

    Examples
    --------
    >>> tiles_text([0, 27])
    '[6|6] [0|0]'
    """
    return " ".join(bracketed(tile) for tile in sorted(tiles, key=lambda tile: HALVES[tile], reverse=True))


def listed(texts: Sequence[str], last: str = "and") -> str:
    """A list as it is spoken.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}" if len(texts) > 1 else "".join(texts)


def number_of(n: int, thing: str) -> str:
    """A number of things.

    Examples
    --------
    >>> number_of(1, "stone"), number_of(2, "stone"), number_of(0, "stone")
    ('1 stone', '2 stones', 'no stones')
    """
    return f"{n or 'no'} {thing}{'' if n == 1 else 's'}"


def sentence(*parts: str) -> str:
    """Parts in one sentence or several: a capital at the beginning.

    Examples
    --------
    >>> sentence("seat 1 leads.", "", "It is a double.")
    'Seat 1 leads. It is a double.'
    """
    text = " ".join(part for part in parts if part)
    return text[:1].upper() + text[1:]


class Names:
    """Who is who.

    Parameters
    ----------
    names
        By seat; ``you`` is spoken to.
    """

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names

    def __getitem__(self, seat: int) -> str:
        return self._names.get(seat, f"seat {seat}")

    def does(self, seat: int, verb: str) -> str:
        """Name and verb, which is given as of a third person.

        Examples
        --------
        >>> Names({0: "you"}).does(0, "plays"), Names({}).does(1, "plays")
        ('you play', 'seat 1 plays')
        """
        name = self[seat]
        return f"{name} {self.verb(seat, verb)}"

    def verb(self, seat: int, verb: str) -> str:
        """The verb as it is with this name."""
        return _PLURAL.get(verb, verb.removesuffix("s")) if self[seat] == "you" else verb


def ends_text(left: int, right: int, link: str = "and") -> str:
    """The ends of a chain, in words.

    Examples
    --------
    >>> ends_text(5, 2), ends_text(5, 5)
    ('5 and 2', '5')
    """
    return f"{left}" if left == right else f"{left} {link} {right}"


def columns(heads: Sequence[str], rows: Mapping[str, Sequence[str]], first: str = "seat") -> list[str]:
    """Lines of a small table: a column for each seat, right-aligned.

    Parameters
    ----------
    heads
        Heads of the columns.
    rows
        Cells by the label of their row.
    first
        Head of the labels.
    """
    sizes = [max(2, *(len(row[k]) for row in (heads, *rows.values()))) for k in range(len(heads))]
    label = max(len(text) for text in (first, *rows))
    return [
        (name.ljust(label) + "".join("  " + cell.rjust(size) for cell, size in zip(row, sizes, strict=True))).rstrip()
        for name, row in ((first, heads), *rows.items())
    ]
