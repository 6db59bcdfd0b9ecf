"""Captions: what one sees in a picture, in words, computed from the figures and never assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist

from domeng_sim.analysis.format import one_in, percent_text, seen_text, span_text, unit_of, well_known
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.games.shared.outline import Plate
from domeng_sim.stats.estimate import Estimate, level_text

_FEW_ROWS = 5
"""Up to so many rows are told one by one where no trend is sure."""


def caption(plate: Plate, section: Section, distribution: bool) -> str:
    """What one sees.

    Parameters
    ----------
    plate
        How the figures are drawn.
    section
        The figures.
    distribution
        Whether the rows of a column are the parts of one whole.
    """
    rows = [row for row in section.rows if row.estimate.value is not None]
    if not rows or plate.picture == "none":
        return ""
    if plate.picture == "matrix":
        return _matrix(rows)
    if plate.picture == "tail":
        return _tail(plate, rows)
    if section.left_out and all(row.kind == "mean" for row in rows):
        # which of them is larger says first of all what is missing of each
        return f"{', '.join(f'{_cell(row)}: {_said(row)}' for row in rows)}; not compared, for what is left out."
    if plate.picture == "dots":
        return _sides(rows, plate.fair) if section.columns != ("",) else _ranking(rows, plate.fair)
    columns = {column: [row for row in rows if row.column == column] for column in section.columns}
    if distribution:
        return _distributions({column: found for column, found in columns.items() if any(map(_value, found))})
    return " ".join(_trend(plate, column, found) for column, found in columns.items() if found)


def _value(row: Row) -> float:
    return row.estimate.value or 0.0


def _said(row: Row) -> str:
    return percent_text(row.estimate, row.kind)


def _wide(estimate: Estimate, n: int) -> tuple[float | None, float | None]:
    """Ends of an interval that holds together with n - 1 others (Bonferroni, by the normal distribution)."""
    if estimate.value is None or n < 2:
        return estimate.low, estimate.high
    normal, alpha = NormalDist(), 1 - estimate.level
    factor = normal.inv_cdf(1 - alpha / (2 * n)) / normal.inv_cdf(1 - alpha / 2)
    low = None if estimate.low is None else estimate.value - factor * (estimate.value - estimate.low)
    high = None if estimate.high is None else estimate.value + factor * (estimate.high - estimate.value)
    return low, high


def _apart(a: Estimate, b: Estimate, n: int) -> bool:
    """Whether the intervals of two of n figures do not touch, widened so that all n hold together."""
    low, high = (a, b) if (a.value or 0) < (b.value or 0) else (b, a)
    below, above = _wide(low, n)[1], _wide(high, n)[0]
    return below is not None and above is not None and below < above


def _without_interval(*rows: Row) -> list[Row]:
    """Those of which not even a bound is known, so that nothing can be said of how they compare."""
    return [row for row in rows if row.estimate.low is None and row.estimate.high is None]


def _unit(row: Row) -> str:
    unit = unit_of(row.estimate.unit, row.kind)
    return unit.removeprefix("% ") if row.kind == "share" else unit


def _amount(row: Row) -> str:
    """A figure with its unit: ``5.03 % of rounds``, ``4.1 stones``."""
    return f"{_said(row)} {_unit(row)}"


def _ranking(rows: Sequence[Row], fair: float | None) -> str:
    if len(rows) < 2:
        return f"{rows[0].label}: {_amount(rows[0])}."
    return _extremes(rows, lambda row: row.label) + _outside(rows, fair, lambda row: row.label)


def _extremes(rows: Sequence[Row], name: Callable[[Row], str]) -> str:
    """Which rows are most and least, and whether that is sure; those that are equal are told together."""
    tops, lows = _equal(rows, max), _equal(rows, min)
    if len(tops) == len(rows):
        return f"All are equal ({_amount(tops[0])})."
    text = f"Most: {_some(tops, name)} ({_amount(tops[0])}); "
    text += f"least: {_some(lows, name)} ({_said(lows[0])}{_odds(lows[0])})."
    return text + _doubt(tops, lows, len(rows), name)


def _equal(rows: Sequence[Row], most: Callable[[Iterable[float]], float]) -> list[Row]:
    """Rows with the largest value, or the smallest."""
    end = most(map(_value, rows))
    return [row for row in rows if _value(row) == end]


def _some(rows: Sequence[Row], name: Callable[[Row], str]) -> str:
    """Names of some rows; of many, the first and how many more there are."""
    names = list(dict.fromkeys(map(name, rows)))
    return _list(names if len(names) < _FEW_ROWS else [*names[:2], f"{len(names) - 2} more"])


def _doubt(tops: Sequence[Row], lows: Sequence[Row], n: int, name: Callable[[Row], str]) -> str:
    """Why it is not sure that the most and the least of n rows differ; empty if it is."""
    if unknown := _without_interval(*tops, *lows):
        named = _some(unknown, name) if len(unknown) < _FEW_ROWS else f"{len(unknown)} of these"
        return f" {named} {'have' if len(unknown) > 1 else 'has'} no interval."
    apart = all(_apart(top.estimate, low.estimate, n) for top in tops for low in lows)
    return "" if apart else " Their intervals overlap."


def _odds(row: Row) -> str:
    odds = one_in(row.estimate) if row.kind == "share" else ""
    return f", {odds}" if odds else ""


def _outside(rows: Sequence[Row], fair: float | None, name: Callable[[Row], str]) -> str:
    if fair is None:
        return ""
    line = f"{100 * fair:g} %" if rows[0].kind == "share" else f"{fair:g}"
    ends = [(row, *_wide(row.estimate, len(rows))) for row in rows]
    over = [name(row) for row, low, _ in ends if low is not None and low > fair]
    under = [name(row) for row, _, high in ends if high is not None and high < fair]
    if not over and not under:
        return f" None is clearly apart from the even share, {line}."
    parts = [f"{word} it: {', '.join(names)}" for word, names in (("above", over), ("below", under)) if names]
    return f" Even share: {line}; clearly {'; '.join(parts)}."


def _sides(rows: Sequence[Row], fair: float | None) -> str:
    texts = []
    labels = dict.fromkeys(row.label for row in rows)
    for label in labels:
        own = [row for row in rows if row.label == label]
        start = f"{label[0].upper()}{label[1:]}: " if len(labels) > 1 else ""
        texts.append(start + _side(own) + _outside(own, fair, lambda row: row.column))
    return " ".join(texts)


def _side(rows: Sequence[Row]) -> str:
    """Which columns of a row are most and least, and whether that is sure."""
    tops, lows = _equal(rows, max), _equal(rows, min)
    if len(tops) == len(rows):
        return f"all are equal ({_said(tops[0])})." if len(rows) > 1 else f"{_said(tops[0])}."
    most, least = (_some(found, lambda row: row.column) for found in (tops, lows))
    text = f"{most} {'has' if len(tops) == 1 else 'have'} most ({_said(tops[0])}), {least} least ({_said(lows[0])})"
    doubt = _doubt(tops, lows, len(rows), lambda row: row.column)
    if not doubt:
        return f"{text}."
    return text + (doubt.replace(" Their", ", but their", 1) if doubt.startswith(" Their") else f";{doubt}")


def _bounds(label: str) -> tuple[float, float]:
    """Smallest and largest value of a row: ``24-31``, ``7``, ``31+``."""
    first, _, last = label.rstrip("+").partition("-")
    return float(first), float(last or first)


def _distributions(columns: Mapping[str, Sequence[Row]]) -> str:
    """Where the rows of each column lie; columns that lie alike are told together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for column, rows in columns.items():
        alike.setdefault(_marks(rows), []).append(column)
    texts = []
    for (mode, low, first, median, last, high), names in alike.items():
        tops = [row for name in names for row in columns[name] if row.label == mode]
        least, most = min(tops, key=_value), max(tops, key=_value)
        share = span_text(least.estimate, most.estimate, most.kind)
        text = f"most often {mode} ({share}), median {median}, half within {first} and {last}, "
        text += f"90 % within {low} and {high}."
        texts.append(f"{_list(names)}: {text}" if names != [""] else f"{text[0].upper()}{text[1:]}")
    return " ".join(texts)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _marks(rows: Sequence[Row]) -> tuple[str, ...]:
    """Mode and quantiles (5, 25, 50, 75, 95 %) of a distribution, as labels of rows."""
    total = sum(map(_value, rows))
    mode = max(rows, key=lambda row: _value(row) / (1 + _bounds(row.label)[1] - _bounds(row.label)[0]))
    marks = [mode.label]
    for order in (0.05, 0.25, 0.5, 0.75, 0.95):
        so_far = 0.0
        for row in rows:
            so_far += _value(row)
            if so_far >= order * total - 1e-12:
                marks.append(row.label)
                break
    return tuple(marks)


def _matrix(rows: Sequence[Row]) -> str:
    if all(row.estimate.low is None for row in rows):
        return "Too few to tell the cells apart."
    return _extremes(rows, _cell)


def _cell(row: Row) -> str:
    joined = row.label.endswith("|") and row.column.startswith("|")
    return row.label + row.column[1:] if joined else f"{row.label} → {row.column}" if row.column else row.label


def _trend(plate: Plate, column: str, rows: Sequence[Row]) -> str:
    """Lowest and highest of the rows that are known well, if they can be told apart; else some of them, unjudged.

    That intervals touch is no sign that there is no trend, so none is denied.
    """
    known = [row for row in rows if well_known(row.estimate)]
    axis = plate.axis or "row"
    if not known:
        text = "too few to see a trend."
    elif _apart((top := max(known, key=_value)).estimate, (low := min(known, key=_value)).estimate, len(known)):
        lows, tops = (_some(_equal(known, most), lambda row: row.label) for most in (min, max))
        text = f"lowest at {axis} {lows} ({_said(low)}), highest at {tops} ({_said(top)})"
        text += "." if len(known) == len(rows) else ", among those known to a quarter of the figure or to 1 %."
    else:
        few = len(known) <= _FEW_ROWS
        some = known if few else [known[0], known[len(known) // 2], known[-1]]
        text = f"{axis} {', '.join(f'{row.label}: {_said(row)}' for row in some)}"
        left_out = len(rows) - len(some)
        others = "other is" if left_out == 1 else f"{left_out} others are"
        text += f"; the {others} not told here." if left_out else "."
    return f"{column}: {text}" if column else f"{text[0].upper()}{text[1:]}"


def _tail(plate: Plate, rows: Sequence[Row]) -> str:
    seen = [row for row in rows if row.estimate.value]
    if not seen:
        return "None was seen."
    texts: list[tuple[Row, str]] = []
    for order, words in ((0.5, "half"), (0.1, "one in ten"), (0.01, "one in 100"), (0.001, "one in 1,000")):
        row = next((row for row in rows if _value(row) <= order), None)
        if row is not None and _value(row) > 0 and (not texts or texts[-1][0] is not row):
            texts.append((row, words))
    said = [f"{_said(row)} reach {row.label} ({words} or fewer)" for row, words in texts]
    text = f"{'; '.join(said)}. " if said else ""
    return f"{text}The longest seen: at least {seen[-1].label}."


def rare_line(sections: Sequence[Section], most: int = 4) -> str:
    """Of figures whose events are too few for an interval, in how many batches they were; empty if there are none.

    Parameters
    ----------
    sections
        Where to look.
    most
        Of how many to tell.
    """
    rows = [(section, row) for section in sections for row in section.rows if row.seen_in is not None]
    told = []
    for section, row in rows[:most]:
        name = ", ".join(part for part in (row.label, row.column) if part)
        told.append(f"{section.title}: {name} {seen_text(row.seen_in)}" if row.seen_in else "")
    if not told:
        return ""
    level = level_text(rows[0][1].estimate.level)
    more = f"; {len(rows) - most} more in the JSON output" if len(rows) > most else ""
    return f"Seen at least once, with the exact {level} interval of the share of such batches: {'; '.join(told)}{more}."
