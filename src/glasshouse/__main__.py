"""`python -m glasshouse` is the command `glasshouse`."""

import sys

from glasshouse.entrypoints.cli import main

sys.exit(main())
