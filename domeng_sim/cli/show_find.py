"""Where something happened in a run.  Import it only when that is asked, since it imports pyarrow and rich."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from rich.text import Text

from domeng_sim.analysis.format import grouped
from domeng_sim.api.requests.positions import ShowRequest
from domeng_sim.cli.bar import make_progress
from domeng_sim.cli.options import Display
from domeng_sim.cli.say import tell
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.cli.terminal import Printer, terminal
from domeng_sim.errors import BadField, Interrupted
from domeng_sim.positions.find_rounds import Hit, find_rounds, matches_to_find
from domeng_sim.positions.replay import Source
from domeng_sim.runs.command import option

SCHEMA_VERSION = 1
"""Of the JSON output."""


def list_finds(request: ShowRequest, source: Source, view: Display) -> int:
    """List where something happened.

    Parameters
    ----------
    request
        What to look for, and how many at most.
    source
        The matches of the run.
    view
        How it is printed.

    Returns
    -------
    int
        Exit status.

    Raises
    ------
    BadField
        If the game knows no such thing.
    """
    word, limit = request.find or "", request.limit or 10
    finds = source.telling.finds
    if word not in finds:
        raise BadField("find", word, f"{', '.join(finds)} in {source.spec.title}")
    with stop_on_signals("stopped") as stop:
        try:
            hits = find_rounds(source, finds[word], limit, make_progress(view.quiet), stop.event.is_set)
        except Interrupted:
            stop.tell()
            raise Interrupted(stop.status) from None
    n_matches = matches_to_find(source)
    if source.dataset is not None and not source.dataset.complete and not view.quiet:
        tell(f"note: {request.run} is not complete; looked through the {grouped(n_matches)} matches that are there")
    plain = request.with_values(find=None, limit=None)
    commands = [plain.at(hit.match, hit.game, hit.round).words() for hit in hits]
    if view.json:
        found = [
            {**vars(hit), "command": shlex.join(words)} for hit, words in zip(hits, commands, strict=True)
        ]  # fmt: skip
        head = {"schema_version": SCHEMA_VERSION, "find": word, "matches": n_matches, "complete": len(hits) < limit}
        print(json.dumps({**head, "hits": found}, indent=1))
        return 0
    _print_hits(word, finds[word].sentence, hits, commands, n_matches, limit, view.color)
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
        console.print(Text(f"{option('limit')} {2 * limit} shows more", "dim"))
