"""A user's own functions: found in a file or module, checked, and loaded from their source text.

A function travels as the source text of its file, so that a run can go on, here or on another machine, without that
file. The text is run as a module of its own, and nothing is written beside the file.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from domeng_sim.core import announce
from domeng_sim.core.printable import printable
from domeng_sim.games import game
from domeng_sim.games.shared.core_call import aside
from domeng_sim.games.types import StrategyError
from domeng_sim.strategies.weighted import StrategySpecError, known_names, read_text

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_HOW = "a function takes (view, moves) and returns the position of the move chosen"


@dataclass(frozen=True)
class Found:
    """A function in its file.

    Attributes
    ----------
    name
        Its name.
    summary
        First line of its docstring.
    code
        Source text of the file.
    """

    name: str
    summary: str
    code: str

    @property
    def content_hash(self) -> str:
        """Digest of the source text."""
        return hashlib.sha256(self.code.encode()).hexdigest()


def find(place: str, name: str) -> Found:
    """Look for a function without running any code of its file, unless it is not there.

    Parameters
    ----------
    place
        ``path/file.py`` or ``package.module``.
    name
        Name of the function.

    Raises
    ------
    StrategySpecError
        If there is no such file, module or function, or it is clear that it does not fit.  Of a file that cannot even
        be run, what it raises is said, since that may be why the function is not there.
    """
    code = read_text(place) if place.endswith(".py") else _code_of_module(place)
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise StrategySpecError(f"{place}, line {error.lineno}: {error.msg}") from error
    except ValueError as error:
        raise StrategySpecError(f"{place} is no Python source: {error}") from error
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if not name:
        named = f", one of {', '.join(defined)}" if defined else ""
        raise StrategySpecError(f"{place}: name the function too{named}, as in {place}:{next(iter(defined), 'choose')}")
    if name in defined:
        _check_arguments(defined[name].args, f"{place}:{name}")
        summary = printable((ast.get_docstring(defined[name]) or "").strip().split("\n")[0])
        return Found(name, summary, code)
    if name not in _bound_names(tree):
        _run(code, place)
        raise StrategySpecError(f"{place} has no function {name!r}; {known_names(name, defined)}")
    return Found(name, "", code)


def _check_arguments(arguments: ast.arguments, what: str) -> None:
    positional = [*arguments.posonlyargs, *arguments.args]
    if len(positional) != 2 or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        raise StrategySpecError(f"{what} takes ({ast.unparse(arguments)}); {_HOW}")


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that a module binds otherwise than by `def`: imported ones and variables."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return names


def _code_of_module(module: str) -> str:
    """Source text of an importable module; the current folder is searched first, as `python -m` does."""
    if not _MODULE.fullmatch(module):
        raise StrategySpecError(
            f"{module!r} is neither a file nor a module; "
            "write file.toml:name, file.py:function or package.module:function"
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        spec = importlib.util.find_spec(module)
    except Exception as error:
        # a package is run when a module in it is looked for, and may raise anything
        raise StrategySpecError(f"no module {module!r}: {type(error).__name__}: {error}") from error
    finally:
        del sys.path[0]
    if spec is None:
        raise StrategySpecError(f"no module {module!r}; a file is written with its ending, as in {module}.py:choose")
    if spec.origin is None or not spec.origin.endswith(".py"):
        raise StrategySpecError(f"the module {module!r} has no Python source")
    return read_text(spec.origin)


@cache
def player(game_name: str, code: str, name: str, origin: str, text: str) -> Any:
    """The function, ready for the game's core; loaded and compiled once in a process.

    Parameters
    ----------
    game_name
        Name of the game.
    code
        Source text of the file.
    name
        Name of the function.
    origin
        File or module that the text was read from.
    text
        How the strategy was asked for, for messages.

    Raises
    ------
    StrategySpecError
        If the text cannot be run, or the function does not fit.
    """
    function = _load(code, name, origin)
    announce.compiling()
    try:
        return game(game_name).kernel().player(function, text)
    except StrategyError as error:
        raise StrategySpecError(f"strategy {text} {error}") from error


def _load(code: str, name: str, origin: str) -> Callable[..., Any]:
    """Run the source text as a module and take the function from it."""
    function: Any = getattr(_run(code, origin), name, None)
    plain: Any = getattr(function, "py_func", function)
    if not inspect.isfunction(plain):
        raise StrategySpecError(f"{origin}: {name} is no function but {type(function).__name__}; {_HOW}")
    parameters = inspect.signature(plain).parameters.values()
    if len(parameters) != 2 or any(one.kind > inspect.Parameter.POSITIONAL_OR_KEYWORD for one in parameters):
        raise StrategySpecError(f"{origin}:{name} takes {inspect.signature(plain)}; {_HOW}")
    return function  # type: ignore[no-any-return]


def _run(code: str, origin: str) -> ModuleType:
    """Run the source text as a module; what it raises is said with its line."""
    module = ModuleType(f"domeng_sim_user_{hashlib.sha256(code.encode()).hexdigest()[:16]}")
    if origin.endswith(".py"):
        module.__file__ = file = os.path.abspath(origin)  # noqa: PTH100 - Path.absolute leaves `..` in
    else:
        # relative imports go from the module's own package
        module.__package__ = origin.rpartition(".")[0]
        file = f"<{origin}>"
    if file not in linecache.cache and not os.path.exists(file):  # noqa: PTH110
        # tracebacks and numba show lines of the source; on another machine the file is not there
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    sys.modules[module.__name__] = module
    try:
        with aside:
            exec(compile(code, file, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        line = f", line {lines[-1]}" if lines else ""
        said = " ".join(str(error).split())
        raise StrategySpecError(f"{origin}{line}: {type(error).__name__}{': ' if said else ''}{said}") from error
    return module
