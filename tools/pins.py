"""Write ``constraints.txt`` anew: the newest releases that satisfy ``pyproject.toml``.

Run by the oldest Python that is supported: its newest releases exist for the later ones too, the reverse does not hold.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)

HEADER = """\
# The versions that `make` installs, the same for Python 3.11 to 3.13. Written by `make pins`; ranges: pyproject.toml.
"""


def newest_versions() -> dict[str, str]:
    """Ask pip which release of each distribution it would install for work on the package."""
    tools = ["pip", "hatchling", "editables"]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    report = subprocess.run([*command, *tools, f"{ROOT}[dev,notebooks]"], check=True, stdout=subprocess.PIPE).stdout
    found = [item["metadata"] for item in json.loads(report)["install"]]
    return {re.sub(r"[-_.]+", "-", item["name"]).lower(): item["version"] for item in found}


def main() -> None:
    """Write the file, or say why not."""
    if sys.version_info[:2] != OLDEST:
        sys.exit("error: make pins needs Python 3.11, the oldest supported: make PYTHON=python3.11 pins")
    versions = newest_versions()
    del versions["domeng-sim"]
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
