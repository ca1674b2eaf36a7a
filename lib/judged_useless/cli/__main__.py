"""The command line as ``python -m judged_useless.cli``."""

import sys

from judged_useless.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
