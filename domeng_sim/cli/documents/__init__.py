"""What ``--json`` prints, each document described once; ``make docs`` writes docs/schema/ from it.

No command needs it, so that none loads it: the tests compare what commands print with it. A document's version rises
when a reader of the old form would be misled; a field that is added is no such change.
"""

from __future__ import annotations

from typing import Any

from domeng_sim.cli.documents.comparisons import Compared
from domeng_sim.cli.documents.rankings import Power, Sensitivity, Tournament
from domeng_sim.cli.documents.rounds import Found, OddsFound, RulesListed, Shown, Strategies
from domeng_sim.cli.documents.runs import Merged, Report, Run, Verified
from domeng_sim.runs.store.manifest import RunManifest, StudyManifest

DOCUMENTS: dict[str, Any] = {
    "run": Run,
    "report": Report,
    "compare": Compared,
    "tournament": Tournament,
    "sensitivity": Sensitivity,
    "power": Power,
    "merge": Merged,
    "show": Shown,
    "show-find": Found,
    "odds": OddsFound,
    "strategies": Strategies,
    "rules": RulesListed,
    "verify": Verified,
    "run-manifest": RunManifest,
    "study-manifest": StudyManifest,
}
"""By the name of the file in docs/schema/."""
