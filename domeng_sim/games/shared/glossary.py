"""Words that all games share, and how a word is looked up."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

Glossary = Mapping[str, str]
"""A sentence or two by word."""

COMMON: Glossary = {
    "tile": "A piece with two halves of 0 to 6 pips, written as [6|5]. The double-six set has 28, each once.",
    "double": "A tile with two equal halves, such as [5|5].",
    "pips": "The dots of a tile: the sum of its halves; those of a hand are the sum over its tiles.",
    "hand": "The tiles that a player holds.",
    "chain": "The tiles on the table, joined one to the other; it has two ends.",
    "end": "Where the chain goes on, at the left or at the right: a tile joins it with an equal half.",
    "lead": "The first tile of a round.",
    "seat": "A place at the table, numbered from 0; play goes on to the next number, and from the last one to 0.",
    "round": "One deal, played to its end.",
    "match": "A number of games at one table, with the same strategies in the same seats.",
    "strategy": "How a seat chooses among its moves; `domeng-sim strategies` lists them.",
    "stone": "A penalty of Domeng; nobody wants them.",
}
"""Words of dominoes; a game adds its own, and may say one of these in another way."""


def explained(glossary: Glossary, word: str) -> str:
    """What a word means, or which words are like it.

    Parameters
    ----------
    glossary
        The words of a game.
    word
        What somebody asks for; in the plural too.

    Examples
    --------
    >>> explained({"chain": "All tiles."}, " Chains ")
    'CHAIN: All tiles.'
    """
    asked = " ".join(word.lower().replace("_", " ").split())
    for name in (asked, asked.removesuffix("s"), asked.removesuffix("es")):
        if name in glossary:
            return f"{name.upper()}: {glossary[name]}"
    close = difflib.get_close_matches(asked, glossary, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(sorted(glossary))}."
    return f"No such word; {hint}"
