"""The notebooks run from top to bottom, here on little data, and are committed with their outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
PARAMETER = re.compile(r"^MATCHES = [\d_]+", re.MULTILINE)
FEW = "MATCHES = 300"


def _code_cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_notebooks__are_there() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.mark.compiled
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__runs_without_warnings_on_little_data(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    import matplotlib as mpl

    mpl.use("agg")
    sources = ["".join(cell["source"]) for cell in _code_cells(path)]
    assert sum(bool(PARAMETER.search(source)) for source in sources) == 1, "one cell sets MATCHES"
    names: dict[str, Any] = {"__name__": "notebook", "display": print}
    for number, source in enumerate(sources):
        exec(compile(PARAMETER.sub(FEW, source), f"{path.name}, code cell {number}", "exec"), names)
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__is_committed_with_its_outputs_in_order(path: Path) -> None:
    cells = _code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    for cell in cells:  # a backend that was chosen while drawing once was forgotten after it: nothing more was shown
        if re.search(r"\.plot\(|plt\.show", "".join(cell["source"])):
            assert any("image/png" in output.get("data", {}) for output in cell["outputs"]), cell["source"]
