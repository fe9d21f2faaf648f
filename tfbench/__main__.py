"""`python -m tfbench inspect FILE`."""

from __future__ import annotations

import sys

from tfbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
