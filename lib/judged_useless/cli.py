"""The command line: ``judged-useless COMMAND``."""

import argparse
import importlib
import sys
from collections.abc import Sequence

#: Commands, each a module with ``SUMMARY``, ``add_arguments(parser)`` and ``main(arguments)``.
COMMANDS = {
    "fetch": "judged_useless.commands.fetch",
    "run": "judged_useless.commands.run",
    "replay": "judged_useless.commands.replay",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(prog="judged-useless", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module_name in COMMANDS.items():
        module = importlib.import_module(module_name)
        command = commands.add_parser(name, help=module.SUMMARY, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(main=module.main)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command line without the program's name; ``sys.argv`` by default.

    Returns
    -------
    int
        Exit status: 0, or 1 after a message on the error stream; 130 if interrupted.
    """
    parsed = build_parser().parse_args(arguments)
    try:
        return int(parsed.main(parsed))
    except KeyboardInterrupt:
        print(f"judged-useless {parsed.command}: interrupted; the same command resumes", file=sys.stderr)
        return 130
    except (OSError, ValueError, ImportError) as error:
        # What a user can mend is one sentence; anything else is a fault of ours and shows its traceback.
        print(f"judged-useless {parsed.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
