"""Where something happened in a run.  Import it only when that is asked, since it imports pyarrow and rich."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from domeng_sim.analysis.format import grouped
from domeng_sim.cli.bar import make_progress
from domeng_sim.cli.say import tell
from domeng_sim.cli.show_page import where_words
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.cli.terminal import Printer, terminal
from domeng_sim.errors import BadInput, Interrupted
from domeng_sim.positions.replay import Hit, Source, find_rounds, matches_to_find

SCHEMA_VERSION = 1
"""Of the JSON output."""


def list_finds(run: Path, source: Source, word: str, limit: int, as_json: bool, quiet: bool, color: str) -> int:
    """List where something happened.

    Parameters
    ----------
    run
        Directory of the run.
    source
        Its matches.
    word
        What to look for, as the user names it.
    limit
        How many at most.
    as_json
        Whether to print JSON.
    quiet
        Whether to say nothing but the result.
    color
        ``auto``, ``always`` or ``never``.

    Returns
    -------
    int
        Exit status.

    Raises
    ------
    BadInput
        If the game knows no such thing.
    """
    finds = source.telling.finds
    if word not in finds:
        raise BadInput(f"--find takes {', '.join(finds)} in {source.spec.title}, not {word!r}")
    with stop_on_signals("stopped") as stop:
        try:
            hits = find_rounds(source, finds[word], limit, make_progress(quiet), stop.event.is_set)
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
    n_matches = matches_to_find(source)
    if source.dataset is not None and not source.dataset.complete and not quiet:
        tell(f"note: {run} is not complete; looked through the {grouped(n_matches)} matches that are there")
    commands = [["domeng-sim", "show", str(run), *where_words(hit.match, hit.game, hit.round)] for hit in hits]
    if as_json:
        found = [
            {**vars(hit), "command": shlex.join(words)} for hit, words in zip(hits, commands, strict=True)
        ]  # fmt: skip
        head = {"schema_version": SCHEMA_VERSION, "find": word, "matches": n_matches, "complete": len(hits) < limit}
        print(json.dumps({**head, "hits": found}, indent=1))
        return 0
    _print_hits(word, finds[word].sentence, hits, commands, n_matches, limit, color)
    return 0


def _print_hits(
    word: str,
    sentence: str,
    hits: Sequence[Hit],
    commands: Sequence[Sequence[str]],
    n_matches: int,
    limit: int,
    color: str,
) -> None:
    console = terminal(color)
    among = f"{grouped(n_matches)} match{'es' if n_matches != 1 else ''}"
    if not hits:
        print(f"{word} ({sentence}): no round in {among}")
        return
    first = "the first " if len(hits) == limit else ""
    console.print(Text(f"{word} ({sentence}): {first}{len(hits)} in {among}", "bold"))
    for hit, words in zip(hits, commands, strict=True):
        who = "nobody wins" if hit.winner < 0 else f"seat {hit.winner} wins"
        line = f"match {hit.match}, game {hit.game}, round {hit.round}: {who}, {hit.plays} plays"
        console.print(Text(line), no_wrap=True, overflow="ignore", crop=False)
        Printer(console).command(shlex.join(words))
    if len(hits) == limit:
        console.print(Text(f"--limit {2 * limit} shows more", "dim"))
