"""Write the generated parts of docs/ and README.md: ``python -m tools.docs``; --check says whether they are current."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from domeng_sim.core.codes import labels
from domeng_sim.core.tables import Column, Table
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from tools import glossary_page, schemas
from tools.samples import commands, filled, pages

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tables.md"

HEAD = """\
# The result tables

This page is written by `make docs` from the definitions in `domeng_sim/core/tables.py` and `core/codes.py`.

A run is a directory that any reader of Parquet opens as it is:

```
RUN/
  manifest.json        what was asked, with what, which parts are complete, totals
  summary/*.parquet    always: the counts behind every figure, a batch of matches at a time
  games/*.parquet      a row a game            (--tables games and up)
  rounds/*.parquet     a row a round           (--tables rounds and up)
  events/*.parquet     a row an event          (--tables events)
```

```python
import pandas

rounds = pandas.read_parquet("RUN/rounds")  # labels come as categories: rounds.outcome == "ceki"
rounds.attrs["domeng_sim"]["command"]  # how it was made

import domeng_sim

run = domeng_sim.load("RUN")  # run.games, run.rounds, run.events, run.figures
```

Numbers are signed, and wide enough to be added, subtracted and compared as they are: `rounds.stones_0 -
rounds.stones_1` is a difference, in every library. Names of columns need no quotes in SQL.

Rows are in the order of their keys `match`, `game`, `round`, `step`, all from 0 without gaps. Seats are 0 to 4, and
-1 means nobody. The rows depend on the seed, the rules, the seats and the match numbers alone: not on threads, parts
or interruptions, nor on which other tables are written. Part files are named after the matches that they hold, and
appear only when complete; the manifest lists each with its rows and SHA-256. Two runs of the same thing with the same
versions have equal parts, byte for byte: what differs between them (time, host) stands in the manifest alone.

The last entry of `manifest.json`, `digest`, is the SHA-256 of all lines before it, byte for byte (`head -n -2
manifest.json | sha256sum` prints it). So whatever of domeng-sim reads a dataset notices a bit that flipped there, or an
edit by hand, and says that the manifest was changed after it was written; `verify` tells what else is wrong then. It is
no signature: who knows how it is made can make another.

Every
column's meaning and unit is in the field metadata of the schema, and the provenance of the run in the schema metadata
under `domeng_sim`.

Files are Snappy-compressed. Columns of small numbers, labels and `match` have dictionaries and are packed in as few
bits as they need; large numbers are delta-encoded, or plain where they differ by 2^27 or more. pandas, Polars, DuckDB,
fastparquet and Spark (3.5.1, both of its readers) read this. Every page has a checksum. Whatever of domeng-sim reads a
part compares the whole file with the manifest first, so that a bit that flipped on the disk is a line of error and
never another figure.

What does not read Parquet gets the rows from `domeng-sim export RUN --table rounds`: CSV with a head, with `--format
jsonl` an object a line, or with `--format arrow` a stream of Arrow's IPC; `--columns match,outcome` and `--match 0..99`
(both included) choose. Labels are texts, and what is missing is an empty field or null. It reads part by part, so
memory stays flat; a million events take a second or two.

## summary

`first_match`, `matches`: the batch. `measure`: what is counted, below. `kind`, `seat`, `other`, `bin`: which counter
of the measure, -1 where it has no such axis. `value`: the count; counts of 0 have no row. Counts of different batches
add up.
"""


def column_line(column: Column) -> str:
    """A line of the table of columns."""
    kind = "label" if column.code is not None else column.dtype
    if column.nullable:
        kind += ", or null"
    meaning = column.meaning + (f" (with `--store-{column.optional}`)" if column.optional else "")
    if column.code is not None:
        meaning += ": " + ", ".join(f"`{label}`" for label in labels(column.code))
    return f"| `{column.name}` | {kind} | {column.unit} | {meaning} |"


def merged(table: Table) -> list[Column]:
    """The columns; those by seat stand once, as ``stones_0…``."""
    found: list[Column] = []
    for column in table:
        stem, _, number = column.name.rpartition("_")
        if stem and number.isdigit():
            if number == "0":
                seats = sum(other.name.rpartition("_")[0] == stem for other in table)
                text = column.meaning.replace("seat 0", "each seat")
                found.append(
                    Column(f"{stem}_0…{seats - 1}", column.dtype, text, column.unit, None, False, column.optional)
                )
        else:
            found.append(column)
    return found


def game_section(spec: GameSpec) -> str:
    """Tables and counters of a game."""
    lines = [f"## {spec.title}", ""]
    for table in spec.tables.values():
        lines += [
            f"### {spec.title}: {table.name}",
            "",
            "| column | type | unit | meaning |",
            "| --- | --- | --- | --- |",
        ]
        lines += [column_line(column) for column in merged(table)] + [""]
    lines += [f"### {spec.title}: measures of the summary", "", "| measure | axes | counts |", "| --- | --- | --- |"]
    for count in spec.counts(spec.resolve_rules({})):
        axes = ", ".join(f"{name} {length}" for name, length in count.axes)
        lines.append(f"| `{count.name}` | {axes} | {count.meaning} |")
    codes = {column.code: column.name for table in spec.tables.values() for column in table if column.code is not None}
    lines += ["", f"### {spec.title}: labels", "", "| label | meaning |", "| --- | --- |"]
    for code, name in sorted(codes.items(), key=lambda pair: pair[1]):
        lines += [f"| {name} `{member.label}` | {member.sentence} |" for member in sorted(code)]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page as it should be."""
    return HEAD + "\n" + "\n".join(game_section(spec) for spec in GAMES.values())


def main() -> int:
    """Write the page of tables and the samples, or check them."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a page is not current")
    check = parser.parse_args().check
    made = {PAGE: page()} | {path: filled(path.read_text(encoding="utf-8")) for path in pages() if commands(path)}
    made |= {glossary_page.PAGE: glossary_page.page(), **schemas.pages()}
    old = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in old:
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        print(f"{'not current' if check else 'wrote'}: {path.name}")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
