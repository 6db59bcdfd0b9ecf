"""What ``--json`` prints, each document described once; ``make docs`` writes docs/schema/ from it.

No command needs it, so that none loads it: the tests compare what commands print with it. A document's version rises
when a reader of the old form would be misled; a field that is added is no such change.
"""

from __future__ import annotations

from typing import Any

from domeng_sim.cli.documents.comparisons import ComparisonJson
from domeng_sim.cli.documents.rankings import PowerJson, SensitivityJson, TournamentJson
from domeng_sim.cli.documents.rounds import FoundRoundsJson, OddsJson, RulesListedJson, ShownJson, StrategiesJson
from domeng_sim.cli.documents.runs import MergeJson, ReportJson, RunJson, VerifyJson
from domeng_sim.cli.documents.sweep import SweepJson
from domeng_sim.cli.documents.tuning import TuneJson
from domeng_sim.runs.store.manifest import RunManifest, StudyManifest

DOCUMENTS: dict[str, Any] = {
    "run": RunJson,
    "report": ReportJson,
    "compare": ComparisonJson,
    "tournament": TournamentJson,
    "sensitivity": SensitivityJson,
    "sweep": SweepJson,
    "tune": TuneJson,
    "power": PowerJson,
    "merge": MergeJson,
    "show": ShownJson,
    "show-find": FoundRoundsJson,
    "odds": OddsJson,
    "strategies": StrategiesJson,
    "rules": RulesListedJson,
    "verify": VerifyJson,
    "run-manifest": RunManifest,
    "study-manifest": StudyManifest,
}
"""By the name of the file in docs/schema/."""
