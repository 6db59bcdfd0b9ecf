"""The package as a reader finds it: a name means one thing, and modules do not import each other in circles."""

import ast
import graphlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import domeng_sim

ROOT = Path(domeng_sim.__file__).parent


@cache
def modules() -> dict[str, ast.Module]:
    """Syntax trees by name of module."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(tree: ast.Module) -> Iterator[str]:
    """Modules that one imports, wherever in it: at its beginning, in a function or for types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{name.name}" for name in node.names]
            yield from (name if name in modules() else node.module for name in inner)


def test_class_name__stands_for_one_class():
    places = defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    assert len(places) > 300
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_file_names__of_one_room_differ_by_more_than_an_s():
    names = {path.with_suffix("") for path in chain(ROOT.rglob("*.py"), ROOT.rglob("*/"))}
    assert {name for name in names if name.with_name(f"{name.name}s") in names} == set()


def test_imports__make_no_circle():
    graph = {module: {*imported(tree)} & modules().keys() - {module} for module, tree in modules().items()}
    assert sum(map(len, graph.values())) > 1000
    graphlib.TopologicalSorter(graph).prepare()  # names the circle that it finds
