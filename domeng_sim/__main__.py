"""``python -m domeng_sim``."""

import sys

from domeng_sim.cli import main

sys.exit(main())
