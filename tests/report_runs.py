"""Small runs on disk, and the figures of a report once more from their rows, with pandas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from domeng_sim.api import functions as api

Pairs = dict[str, tuple[int, int]]
MIXED = ["random", "heaviest", "random", "lightest", "doubles_first"]
TILES = [(hi, lo) for hi in range(7) for lo in range(hi + 1)]
TURNS = ["lead", "play", "pass", "passebunge"]


def make_run(directory: Path, **options: object) -> Path:
    """A run of few matches."""
    length = {} if "rounds_per_match" in options else {"games_per_match": 5}
    api.run(directory, **{"matches": 12, "seed": 3, "tables": "events"} | length | options)  # type: ignore[arg-type]
    return directory


def read(directory: Path, table: str) -> pd.DataFrame:
    return pd.read_parquet(directory / table)


def sides(texts: Sequence[str]) -> dict[str, list[int]]:
    """Keys of seats and strategies with their seats."""
    found = {f"seat.{seat}": [seat] for seat in range(len(texts))}
    for seat, text in enumerate(texts):
        found.setdefault(f"strategy.{text}", []).append(seat)
    return found


def naive_games(games: pd.DataFrame, texts: Sequence[str], stones: int = 25) -> Pairs:
    """Numerators and denominators of what a report takes from the games."""
    found: Pairs = {}
    whole, won = games[games.ended != "unfinished"], games[games.ended == "camat"]
    standing = {0: lambda seat: won.incumbent < 0, 1: lambda seat: won.incumbent == seat}
    standing[2] = lambda seat: (won.incumbent >= 0) & (won.incumbent != seat)
    for key, seats in sides(texts).items():
        for n in range(stones + 1):
            hits = sum(int((whole[f"stones_{seat}"] == n).sum()) for seat in seats)
            found[f"game_held.{n}.{key}"] = hits, len(whole) * len(seats)
        for kind, chosen in standing.items():
            hits = sum(int((won[chosen(seat)].camat == seat).sum()) for seat in seats)
            found[f"standing.{kind}.{key}"] = hits, sum(int(chosen(seat).sum()) for seat in seats)
    kinds = np.select([won.incumbent < 0, won.incumbent == won.camat], [0, 1], 2)
    for kind in range(3):
        found[f"length.{kind}"] = int(won.rounds[kinds == kind].sum()), int((kinds == kind).sum())
    titles: dict[int, int] = {}
    trials: dict[int, int] = {}
    for _, match in won.groupby("match"):
        holder, row = -1, 0
        for camat in match.camat:
            if holder >= 0:
                trials[row] = trials.get(row, 0) + 1
            row = row + 1 if camat == holder else 1
            holder = camat
            titles[row] = titles.get(row, 0) + 1
    for n in range(1, 31):
        found[f"again.{n}"] = titles.get(n + 1, 0), trials.get(n, 0)
        if n > 1:
            found[f"reign.{n}"] = titles.get(n, 0), titles.get(1, 0)
    return found


def naive_rounds(rounds: pd.DataFrame) -> Pairs:
    """The same of the rounds."""
    found: Pairs = {}
    finished, blocked = ["cappu", "ceki", "pollo"], ["manguno", "mattikkeng"]

    def at(kinds: Sequence[str], n: int) -> int:
        return int((rounds.outcome.isin(kinds) & (rounds.plays == n)).sum())

    for n in range(1, 26):
        for kind in ("ceki", "pollo"):
            if n >= 5:
                found[f"finish_plays.{kind}.{n}"] = at([kind], n), at(finished, n)
        for kind in blocked:
            found[f"blocked.{kind}.{n}"] = at([kind], n), len(rounds)
        found[f"manguno.{n}"] = at(["manguno"], n), at(blocked, n)
    first = (rounds.game == 0) & (rounds["round"] == 0)
    for key, part in (("first", rounds[first]), ("later", rounds[~first])):
        appointed = part[part.camat >= 0]
        for place in range(5):
            seats = (part.starter + place) % 5
            pick = [np.arange(len(part)), seats.to_numpy()]
            table = {name: part[[f"{name}_{seat}" for seat in range(5)]].to_numpy() for name in ("stones", "passes")}
            found[f"start_{key}.wins.{place}"] = int((part.winner == seats).sum()), len(part)
            hits = int((appointed.camat == (appointed.starter + place) % 5).sum())
            found[f"start_{key}.camat.{place}"] = hits, len(appointed)
            found[f"start_{key}.stones.{place}"] = int(table["stones"][*pick].sum()), len(part)
            found[f"start_{key}.passes.{place}"] = int(table["passes"][*pick].sum()), len(part)
    return found


def naive_events(events: pd.DataFrame) -> Pairs:
    """The same of the events: each round is looked at by itself."""
    done: dict[tuple[str, int], int] = {}
    last: dict[tuple[bool, int], int] = {}
    n_rounds = 0
    for _, one in events.groupby(["match", "game", "round"], sort=False):
        n_rounds += 1
        one = one[one.event.isin(TURNS)]
        names = one.event.tolist()
        played = [k for k, name in enumerate(names) if name in ("lead", "play")]
        for turn, name in enumerate(names[: played[-1] + 1], start=1):
            done[name, min(turn, 63)] = done.get((name, min(turn, 63)), 0) + 1
        if played[-1] == len(names) - 1:
            row = one.iloc[-1]
            key = bool(row.left_end == row.right_end), int(row.tile)
            last[key] = last.get(key, 0) + 1
    found: Pairs = {}
    for n in range(1, 64):
        whole = sum(done.get((name, n), 0) for name in TURNS)
        passes = done.get(("passebunge", n), 0)
        found[f"turn.pass.{n}"] = passes + done.get(("pass", n), 0), whole
        found[f"turn.passebunge.{n}"] = passes, whole
    for tile, (hi, lo) in enumerate(TILES):
        whole = last.get((True, tile), 0) + last.get((False, tile), 0)
        found[f"finish_tile.{hi}{lo}"] = last.get((True, tile), 0), whole
        found[f"last_tile.{hi}{lo}"] = whole, n_rounds
    return found


def naive_summary(rounds: pd.DataFrame, texts: Sequence[str]) -> Pairs:
    """Some figures by seat and strategy that a report takes from the summary, from the rounds in place of it."""
    found: Pairs = {}
    n = len(rounds)
    for key, seats in sides(texts).items():
        own = rounds.winner.isin(seats)
        finished = rounds.outcome.isin(["cappu", "ceki", "pollo"])
        for kind in ("ceki", "pollo"):
            hits = int((own & (rounds.outcome == kind)).sum())
            found[f"finish.{kind}.{key}"] = hits, n * len(seats)
            found[f"finish_own.{kind}.{key}"] = hits, int((own & finished).sum())
        for name in ("passes", "passebunge"):
            found[f"{name}.{key}"] = int(sum(rounds[f"{name}_{seat}"].sum() for seat in seats)), n * len(seats)
        held = int(sum(rounds[f"stones_{seat}"].sum() for seat in seats))
        found[f"held_mean.{key}"] = held, n * len(seats)
        found[f"camat.{key}"] = int(rounds.camat.isin(seats).sum()), int((rounds.camat >= 0).sum()) * len(seats)
    starts = (rounds.winner == rounds.starter), (rounds.winner != rounds.starter)
    for kind in ("ceki", "pollo"):
        for name, mine, times in (("the starter", starts[0], 1), ("another seat", starts[1], 4)):
            found[f"start.{kind}.{name}"] = int((mine & (rounds.outcome == kind)).sum()), n * times
    blocked = rounds.outcome.isin(["manguno", "mattikkeng"])
    found["manguno.all"] = int((rounds.outcome == "manguno").sum()), int(blocked.sum())
    return found


def naive_two(rounds: pd.DataFrame, games: pd.DataFrame, texts: Sequence[str], target: int) -> Pairs:
    """All that a report on a game for two takes from the rounds and games, and much of what the summary tells."""
    n = len(rounds)
    won, ended = games[games.ended == "finished"], games[games.ended != "unfinished"]
    wins = rounds[rounds.winner >= 0]
    before = rounds.groupby(["match", "game"])[["score_0", "score_1"]].shift(fill_value=0)
    points = np.stack([rounds[f"score_{seat}"] - before[f"score_{seat}"] for seat in range(2)])
    scored = points.sum(axis=0)
    found: Pairs = {}

    for key, seats in sides(texts).items():
        found[f"games.{key}"] = int(won.winner.isin(seats).sum()), len(won) * len(seats)
        found[f"rounds.{key}"] = int(wins.winner.isin(seats).sum()), len(wins) * len(seats)
        for kind in ("out", "blocked"):
            hits = rounds.winner.isin(seats) & (rounds.outcome == kind)
            found[f"rounds_won.{kind}.{key}"] = int(hits.sum()), n * len(seats)
        own = int(points[seats].sum())
        found[f"points.{key}"] = own, n * len(seats)
        found[f"points_won.{key}"] = own, int(wins.winner.isin(seats).sum())
        for name in ("pips", "draws", "passes") if "stock" in rounds else ("pips", "passes"):
            found[f"{name}.{key}"] = int(sum(rounds[f"{name}_{seat}"].sum() for seat in seats)), n * len(seats)
        found[f"game_score.{key}"] = int(sum(ended[f"score_{s}"].sum() for s in seats)), len(ended) * len(seats)

    for kind in ("out", "blocked", "tied"):
        of_kind = rounds.outcome == kind
        for plays in range(1, 27):
            at = rounds.plays == plays
            found[f"end_plays.{kind}.{plays}"] = int((of_kind & at).sum()), int(at.sum())
        for stock in range(2, 15) if "stock" in rounds else ():
            at = rounds.stock == stock
            found[f"end_stock.{kind}.{stock}"] = int((of_kind & at).sum()), int(at.sum())
    for kind in ("out", "blocked"):
        of_kind = rounds.outcome == kind
        found[f"points_by.{kind}"] = int(scored[of_kind].sum()), int(of_kind.sum())
        for group in range(17):
            inside = (scored >= 10 * group) & (scored < 10 * group + 10)
            found[f"end_points.{kind}.{group}"] = int((inside & of_kind).sum()), int(of_kind.sum())
        by_starter = rounds.winner == rounds.starter
        found[f"place.{kind}.0"] = int((of_kind & by_starter).sum()), int(of_kind.sum())
        found[f"place.{kind}.1"] = int((of_kind & ~by_starter).sum()), int(of_kind.sum())

    passes = rounds.passes_0 + rounds.passes_1
    for k in range(13):
        found[f"passed.{k}"] = int((passes == k).sum() if k < 12 else (passes >= 12).sum()), n
    for place in range(2):
        seats = (rounds.starter + place) % 2
        found[f"place_points.{place}"] = int(np.where(seats == 1, points[1], points[0]).sum()), n
        for name in ("draws", "passes", "pips") if "stock" in rounds else ("passes", "pips"):
            values = np.where(seats == 1, rounds[f"{name}_1"], rounds[f"{name}_0"])
            found[f"place_{name}.{place}"] = int(values.sum()), n
    first = rounds[rounds["round"] == 0].set_index(["match", "game"]).starter
    led = first.reindex(list(zip(won["match"], won.game, strict=True))).to_numpy()
    for place in range(2):
        found[f"first_games.{place}"] = int((won.winner.to_numpy() == (led + place) % 2).sum()), len(won)
    low = won[["score_0", "score_1"]].min(axis=1)
    high = won[["score_0", "score_1"]].max(axis=1)
    parts = min(10, target)
    for part in range(parts):
        found[f"loser.{part}"] = int(((low * parts // target) == part).sum()), len(won)
    for group in range(17):
        found[f"beyond.{group}"] = int(((high - target) // 10 == group).sum()), len(won)
    for seat in range(2):
        found[f"starts.{seat}"] = int((rounds.starter == seat).sum()), n
    for k in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24):
        found[f"game_tail.{k}"] = int((won.rounds >= k).sum()), len(won)
    return found
