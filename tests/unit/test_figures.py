"""Figures against a plain recomputation from the rows, and against what must hold of any figures."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats as scipy_stats

from domeng_sim.analysis.captions import rare_line
from domeng_sim.analysis.metrics import figures, quantile, ratio, section_of
from domeng_sim.core.codes import Cause, Event, Outcome
from domeng_sim.games import GAMES
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.shared.length_bins import length_bin_start
from domeng_sim.games.shared.measures import Figure, Panel, Quantile, cells
from domeng_sim.games.types import Seat
from domeng_sim.runs.counters import CountTable
from tests.domeng_runs import core, task
from tests.effort import effort

MIXED = (Seat({}), Seat({"pips": 1000}), Seat({"double": 1500}), Seat({}), Seat({"pips": -1000}))
MATCHES = effort(62, 7)
SETUPS = {
    "default": {"games": 4},
    "cut short": {"games": 3, "rules": {"max_rounds": 6}},
    "by rounds": {"rounds": 21, "rules": {"stones": 40, "pollo_stones": 9, "camat_check": "before"}},
}


@cache
def played(name, cluster=5, level="events"):
    """Rules, rows and counts (a cluster for each 5 matches, the last one smaller) of a small run."""
    job = task(seats=MIXED, matches=MATCHES, cluster=cluster, level=level, hands=False, **SETUPS[name])
    return job.rules, *core(job)


def computed(name, **how):
    rules, _, counts = played(name, **how)
    return figures(DOMENG, rules, counts, matches=MATCHES)


def by_seat(columns, name):
    return np.array([columns[f"{name}_{seat}"].astype(int) for seat in range(5)])


def naive(rules, rows):
    """Numerator and denominator of every share and mean, summed up from the rows."""
    r, g, e = rows["rounds"], rows["games"], rows["events"]
    n = len(r["match"])
    winner, distance = r["winner"].astype(int), (r["winner"].astype(int) - r["starter"]) % 5
    passes, passebunge, stones = by_seat(r, "passes"), by_seat(r, "passebunge"), by_seat(r, "stones")
    ended, whole = g["ended"] == 0, g["ended"] != 2
    again = (g["camat"] == g["incumbent"]) & (g["camat"] >= 0)
    found = {
        "round.plays": (r["plays"].astype(int).sum(), n),
        "round.passes": (passes.sum(), n),
        "round.passebunge": (passebunge.sum(), n),
        "round.table_empty": ((r["table_stones"] == 0).sum(), n),
        "game.rounds": (g["rounds"][ended].astype(int).sum(), ended.sum()),
        "game.camat_again": (again.sum(), ((g["incumbent"] >= 0) & whole).sum()),
        "game.truncated": ((g["ended"] == 1).sum(), len(ended)),
        "game.unfinished": ((g["ended"] == 2).sum(), len(ended)),
    }
    for kind in Outcome:
        found[f"outcome.{kind.label}"] = ((r["outcome"] == kind).sum(), n)
        for seat in range(5):
            found[f"win.{kind.label}.{seat}"] = (((r["outcome"] == kind) & (winner == seat)).sum(), n)
    for seat in range(5):
        reigned = (g["incumbent"] == seat) & whole
        found[f"seat.camat.{seat}"] = ((g["camat"] == seat).sum(), ended.sum())
        found[f"seat.camat_again.{seat}"] = ((again & reigned).sum(), reigned.sum())
        found[f"seat.wins.{seat}"] = ((winner == seat).sum(), n)
        found[f"seat.held.{seat}"] = (stones[seat].sum(), n)
        found[f"seat.game_stones.{seat}"] = (by_seat(g, "stones")[seat][whole].sum(), whole.sum())
        found[f"seat.passes.{seat}"] = (passes[seat].sum(), n)
        found[f"seat.passebunge.{seat}"] = (passebunge[seat].sum(), n)
        found[f"distance.{seat}"] = ((distance == seat).sum(), n)
    for tiles in range(1, 26):
        found[f"plays.{tiles}"] = ((r["plays"] == tiles).sum(), n)
    for holder, held in [*enumerate(stones), ("table", r["table_stones"])]:
        for amount in range(rules["stones"] + 1):
            found[f"held.{holder}.{amount}"] = ((held == amount).sum(), n)
    causes = closing_causes(r)
    return found | naive_stones(e, causes, n) | naive_suffered(r, causes, n) | naive_lengths(g["rounds"][ended])


def naive_lengths(lengths):
    edges = [*range(1, 24), 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192]
    edges += [12288, 16384, 24576, 32768, 49152, 65536]
    found = {}
    for first, beyond in pairwise(edges):
        label = str(first) if beyond == first + 1 else f"{first}-{beyond - 1}"
        found[f"game_length.{label}"] = (((lengths >= first) & (lengths < beyond)).sum(), len(lengths))
    return found


def closing_causes(r):
    """Cause of the closing award of each round, by the rules."""
    plain = {Outcome.CAPPU: Cause.CAPPU, Outcome.CEKI: Cause.CEKI, Outcome.POLLO: Cause.POLLO}
    plain[Outcome.MANGUNO] = Cause.MANGUNO
    pips, causes = by_seat(r, "pips"), []
    for i, outcome in enumerate(r["outcome"]):
        lower = pips[r["winner"][i], i] < pips[r["last_mappano"][i], i]
        one = int(r["mattikkeng_seats"][i]).bit_count() == 1 and lower
        causes.append(plain.get(outcome, Cause.MATTIKKENG if one else Cause.MATTIKKENG_SHARED))
    return causes


def naive_suffered(r, causes, n):
    found = {f"suffered.{kind}.{seat}": [0, n] for kind in range(3) for seat in range(5)}
    for i in np.flatnonzero(r["outcome"] == Outcome.MATTIKKENG):
        several = int(r["mattikkeng_seats"][i]).bit_count() > 1
        kind = 2 if several else int(causes[i] == Cause.MATTIKKENG_SHARED)
        found[f"suffered.{kind}.{r['last_mappano'][i]}"][0] += 1
    return found


def naive_stones(e, causes, n):
    """Stones by cause and source, and by giver and receiver."""
    flow, moved = np.zeros((6, 5), int), np.zeros((len(Cause), 2), int)
    given, rounds_over = by_seat(e, "given"), 0
    for i, event in enumerate(e["event"]):
        if event not in (Event.PASS, Event.PASSEBUNGE, Event.AWARD):
            continue
        cause = {Event.PASS: Cause.PASS, Event.PASSEBUNGE: Cause.PASSEBUNGE}.get(event, causes[rounds_over])
        rounds_over += event == Event.AWARD
        moved[cause] += given[:, i].sum(), e["from_table"][i]
        flow[:5, e["seat"][i]] += given[:, i]
        flow[5, e["seat"][i]] += e["from_table"][i]
    found = {f"flow.{'table' if k == 5 else k}.{s}": (flow[k, s], n) for k in range(6) for s in range(5) if k != s}
    for cause, (players, table) in zip(Cause, moved.tolist(), strict=True):
        found[f"cause.{cause.label}.players"] = (players, n)
        found[f"cause.{cause.label}.table"] = (table, n)
        found[f"cause.{cause.label}.all"] = (players + table, n)
    return found


@pytest.mark.parametrize("name", SETUPS)
def test_shares_and_means__are_those_of_the_rows(name):
    rules, rows, _ = played(name)
    shown, expected = computed(name), naive(rules, rows)
    assert {row.key for row in shown if row.kind != "quantile"} == set(expected)
    for row in shown:
        if row.kind == "quantile":
            continue
        part, whole = expected[row.key]
        if whole == 0:
            assert row.estimate.value is None, row.key
        else:
            assert row.estimate.value == pytest.approx(part / whole, rel=1e-12, abs=0), row.key
        if row.kind == "share":
            assert row.estimate.events == part, row.key
    assert shown.totals == {
        "matches": MATCHES,
        "rounds": len(rows["rounds"]["match"]),
        "games": len(rows["games"]["match"]),
    }


@pytest.mark.parametrize("name", SETUPS)
def test_quantiles__are_those_of_the_games(name):
    _, rows, _ = played(name)
    shown = computed(name)
    lengths = np.sort(rows["games"]["rounds"][rows["games"]["ended"] == 0].astype(int))
    for percent in (1, 5, 25, 50, 75, 95, 99):
        place = -(-percent * len(lengths) // 100) - 1
        assert shown[f"game.rounds.q{percent:02}"].value == lengths[place]


@pytest.mark.parametrize("name", SETUPS)
def test_errors__are_those_of_the_formula_over_batches_of_matches(name):
    # Cochran 1977, (6.13): residuals of the ratio, cluster by cluster, with G-1 degrees of freedom
    _, rows, _ = played(name)
    batch = rows["rounds"]["match"].astype(int) // 5
    groups = batch.max() + 1
    n = np.bincount(batch, minlength=groups)
    shown = computed(name)
    for key, amounts in {
        "round.plays": rows["rounds"]["plays"],
        "round.passes": by_seat(rows["rounds"], "passes").sum(axis=0),
        "seat.held.2": rows["rounds"]["stones_2"],
        "outcome.cappu": rows["rounds"]["outcome"] == Outcome.CAPPU,
    }.items():
        estimate = shown[key]
        if estimate.kind != "cluster-student":
            continue
        y = np.bincount(batch, weights=amounts, minlength=groups)
        residuals = y - n * y.sum() / n.sum()
        se = np.sqrt(groups / (groups - 1) * (residuals**2).sum()) / n.sum()
        assert estimate.half_width == pytest.approx(scipy_stats.t.ppf(0.975, groups - 1) * se, rel=1e-9), key
        assert estimate.clusters == groups


@pytest.mark.parametrize("name", SETUPS)
def test_shares_that_exclude_each_other__add_up_to_one(name):
    shown = computed(name)
    total = {}
    for row in shown:
        if row.kind == "share" and row.estimate.value is not None:
            head, *rest = row.key.split(".")
            group = f"{head}.{rest[0]}" if head in ("held", "seat") else head
            total[group] = total.get(group, 0) + row.estimate.value
    holders = [f"held.{holder}" for holder in (*range(5), "table")]
    for group in ("outcome", "win", "distance", "plays", "game_length", "seat.camat", "seat.wins", *holders):
        assert total[group] == pytest.approx(1, abs=1e-12), group


@pytest.mark.parametrize("name", SETUPS)
def test_stones__add_up(name):
    rules, _, _ = played(name)
    shown = computed(name)

    def value(key):
        return shown[key].value

    held = sum(value(f"seat.held.{seat}") for seat in range(5))
    table = sum(amount * value(f"held.table.{amount}") for amount in range(rules["stones"] + 1))
    assert held + table == pytest.approx(rules["stones"], rel=1e-12)
    for seat in range(5):
        by_bin = sum(amount * value(f"held.{seat}.{amount}") for amount in range(rules["stones"] + 1))
        assert by_bin == pytest.approx(value(f"seat.held.{seat}"), rel=1e-12)
    moved = sum(row.estimate.value for row in shown if row.key.startswith("cause.") and row.key.endswith(".all"))
    assert moved == pytest.approx(sum(row.estimate.value for row in shown if row.key.startswith("flow.")), rel=1e-12)
    for cause in Cause:
        parts = value(f"cause.{cause.label}.table") + value(f"cause.{cause.label}.players")
        assert parts == pytest.approx(value(f"cause.{cause.label}.all"), abs=1e-12)


def test_values__do_not_depend_on_how_matches_are_put_together():
    one, five, all_ = (computed("default", cluster=k, level="summary") for k in (1, 5, MATCHES))
    for row in one:
        for other in (five, all_):
            assert other[row.key].value == row.estimate.value, row.key
            assert other[row.key].events == row.estimate.events, row.key


def test_figures__depend_neither_on_the_order_of_the_clusters_nor_on_empty_ones():
    rules, _, counts = played("default")
    shown = figures(DOMENG, rules, counts)
    shuffled = np.random.default_rng(1).permutation(counts)
    padded = np.vstack([shuffled, np.zeros((3, counts.shape[1]), np.int64)])
    assert figures(DOMENG, rules, shuffled) == shown
    assert figures(DOMENG, rules, padded) == shown


def test_intervals__shrink_with_the_square_root_of_what_was_played():
    # the same clusters four times over: half the width, but for the degrees of freedom
    rules, _, counts = played("default")
    groups = len(counts)
    once, often = figures(DOMENG, rules, counts), figures(DOMENG, rules, np.vstack([counts] * 4))
    t, t4 = (scipy_stats.t.ppf(0.975, df) for df in (groups - 1, 4 * groups - 1))
    ratio_ = np.sqrt((groups - 1) / (4 * groups - 1)) * t4 / t
    assert often["round.plays"].half_width == pytest.approx(once["round.plays"].half_width * ratio_, rel=1e-9)


def test_one_cluster__has_values_and_no_errors():
    for row in computed("default", cluster=MATCHES, level="summary"):
        assert row.estimate.kind == "not-estimable", row.key
        assert (row.estimate.low, row.estimate.high) == (None, None), row.key


def test_no_cluster__has_no_values():
    rules, _, counts = played("default")
    shown = figures(DOMENG, rules, counts[:0], matches=0)
    assert shown.totals == {"matches": 0, "rounds": 0, "games": 0}
    assert all(row.estimate.value is None for row in shown)
    json.dumps(shown.to_json(), allow_nan=False)


# --- small made-up counts -------------------------------------------------------------------------------------------

SHARE = Figure("x", "x", cells("games", kind=1), cells("games"), "share of games")
MEAN = Figure("x", "x", cells("passes"), cells("round_ends"), "passes per round", "mean")
RULES = DOMENG.resolve_rules({})


def counted(clusters, **blocks):
    """A table of counts that are 0 but for the first counters of the blocks given, cluster by cluster."""
    made = np.zeros((clusters, sum(block.size for block in DOMENG.counts(RULES))), np.int64)
    at = 0
    for block in DOMENG.counts(RULES):
        if block.name in blocks:
            values = np.asarray(blocks[block.name])
            made[:, at : at + values.shape[-1]] = values
        at += block.size
    return CountTable(DOMENG.counts(RULES), made)


def test_an_event_never_seen__has_the_exact_upper_bound():
    estimate = ratio(counted(10, games=[100, 0, 0]), SHARE, 0.95)
    # W2 of the worked values: 0 of 1000, one-sided
    assert (estimate.value, estimate.low, estimate.kind, estimate.events) == (0, None, "upper-bound", 0)
    assert estimate.high == pytest.approx(0.0029912495, rel=1e-7)


def test_an_event_always_seen__has_the_exact_lower_bound():
    estimate = ratio(counted(10, games=[0, 100, 0]), SHARE, 0.95)
    assert (estimate.value, estimate.high, estimate.kind, estimate.events) == (1, None, "lower-bound", 1000)
    assert estimate.low == pytest.approx(1 - 0.0029912495, rel=1e-9)


def test_few_events__have_no_error():
    estimate = ratio(counted(10, games=[[99, 1, 0]] * 9 + [[100, 0, 0]]), SHARE, 0.95)
    assert (estimate.value, estimate.kind, estimate.events) == (9 / 1000, "not-estimable", 9)


def test_few_events__say_exactly_in_how_many_batches_they_were():
    def found(games):
        section = section_of(counted(len(games), games=games), Panel("x", "Games", (SHARE,)), 0.95)
        return section, section.rows[0].seen_in

    section, seen = found([[98, 2, 0]] * 4 + [[99, 1, 0]] + [[100, 0, 0]] * 95)
    # Clopper and Pearson: 5 of 100, however the nine events crowd together
    exact = scipy_stats.binomtest(5, 100).proportion_ci(0.95, "exact")
    assert (seen.value, seen.events, seen.clusters, seen.kind) == (0.05, 5, 100, "clopper-pearson")
    assert (seen.low, seen.high) == pytest.approx((exact.low, exact.high), rel=1e-9)
    assert "Games: x in 5 of 100 batches (1.6 to 11.3 %)" in rare_line([section])
    # none where the figure has an interval or a bound, and none of what is seen nearly always
    for games in ([[98, 2, 0]] * 50, [[100, 0, 0]] * 50, [[1, 99, 0]] * 5 + [[0, 100, 0]] * 95):
        section, seen = found(games)
        assert seen is None and rare_line([section]) == ""


@pytest.mark.parametrize(
    ("passes", "kind"),
    [
        ([[0]] * 10, "not-estimable"),
        ([[1]] * 9 + [[0]], "not-estimable"),
        ([[500]] + [[0]] * 9, "not-estimable"),
        ([[2]] * 9 + [[0]], "cluster-student"),
    ],
)
def test_a_mean_of_almost_nothing__has_no_error(passes, kind):
    # an interval of no width around 0 would claim that it is known
    estimate = ratio(counted(10, passes=passes, round_ends=[20]), MEAN, 0.95)
    assert (estimate.value, estimate.kind) == (pytest.approx(np.sum(passes) / 200), kind)
    assert (estimate.low is None) == (kind == "not-estimable")


def test_quantile__of_a_bin_of_many_values_is_told_from_its_first_to_its_last():
    starts = tuple(length_bin_start(k) for k in range(385))
    lengths = np.zeros((30, 384), int)
    lengths[:, 300] = 50
    lengths[:, 10] = 1
    figure = Quantile("x", "x", cells("game_length"), 0.5, starts, "rounds")
    estimate = quantile(counted(30, game_length=lengths), figure, 0.95)
    assert (starts[300], starts[301] - 1) == (1792, 1855)
    assert (estimate.low, estimate.value, estimate.high) == (1792, 1823, 1855)


def test_counts_of_other_rules__are_refused():
    _, _, counts = played("default")
    with pytest.raises(ValueError, match=r"counts have shape .* has \(clusters, "):
        figures(DOMENG, DOMENG.resolve_rules({"stones": 24}), counts)


def test_level__must_be_a_level():
    rules, _, counts = played("default")
    with pytest.raises(ValueError, match="between 0 and 1"):
        figures(DOMENG, rules, counts, level=95)


def test_labels__belong_to_their_keys():
    rows = {row.key: row for row in computed("default")}
    for key, row in rows.items():
        *_, last = key.split(".")
        if key.startswith(("seat.", "win.", "suffered.", "flow.")):
            assert row.column == f"seat {last}", key
        if key.startswith(("plays.", "held.", "game_length.")):
            assert row.label == last, key
        if key.startswith(("outcome.", "win.")):
            assert row.label == key.split(".")[1].upper(), key
    assert [rows[f"distance.{k}"].label for k in (0, 4)] == ["the starter", "4 after"]
    assert (rows["held.table.0"].column, rows["flow.table.0"].label) == ("the table", "the table")
    assert (rows["cause.pollo.table"].column, rows["cause.pollo.players"].column) == ("from the table", "from players")


# --- every game ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_sheet__names_each_figure_once_and_only_counters_that_exist(game):
    rules = game.resolve_rules({})
    sheet = game.figures(rules)
    axes = {block.name: dict(block.axes) for block in game.counts(rules)}
    keys = [figure.key for figure in sheet]
    assert len(keys) == len(set(keys))
    assert len({panel.key for panel in sheet.panels}) == len(sheet.panels)
    used = [cell for _, cell in sheet.totals]
    for figure in sheet:
        if isinstance(figure, Figure):
            used += [figure.numerator, figure.denominator]
            assert figure.unit.startswith("share of") == (figure.kind == "share"), figure.key
        else:
            used.append(figure.histogram)
            assert len(figure.starts) == axes[figure.histogram.count]["bin"] + 1
    for cell in used:
        for axis, positions in cell.at:
            assert all(0 <= position < axes[cell.count][axis] for position in positions), cell
        assert not cell.weighted or "bin" in axes[cell.count], cell
    for panel in sheet.panels:
        places = [(figure.label, figure.column) for figure in panel.figures]
        assert len(places) == len(set(places)), panel.key
        assert not panel.columns or {column for _, column in places} <= set(panel.columns), panel.key


@pytest.mark.parametrize("name", SETUPS)
def test_json__is_complete_and_has_no_nan(name):
    shown = computed(name)
    text = json.dumps(shown.to_json(), allow_nan=False)
    read = json.loads(text)
    rows = {row["key"]: row for section in read["sections"] for row in section["rows"]}
    assert set(rows) == {row.key for row in shown}
    fields = {"value", "low", "high", "level", "kind", "unit", "clusters", "events", "looks"}
    for row in shown:
        assert set(rows[row.key]["estimate"]) == fields
        assert rows[row.key]["estimate"]["value"] == row.estimate.value  # unrounded
    assert read["totals"] == shown.totals
    assert (read["game"], read["level"], read["clusters"]) == ("domeng", 0.95, shown.clusters)
