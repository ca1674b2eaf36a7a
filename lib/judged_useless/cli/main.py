"""The command line: ``judged-useless COMMAND``."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

#: Commands, each a module with ``SUMMARY``, ``add_arguments(parser)`` and ``main(arguments)``.
COMMANDS = {
    "fetch": "judged_useless.cli.fetch",
    "run": "judged_useless.cli.run",
    "replay": "judged_useless.cli.replay",
    "annotate": "judged_useless.cli.annotate",
}

#: Exit status as of a program that SIGPIPE ends, which is what a shell expects before ``| head``.
OUTPUT_GONE = 141


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
        Exit status: 0, or 1 after a message on the error stream; 130 if interrupted, and 141 if what reads
        the output has gone.
    """
    try:
        try:
            return _run(arguments)
        finally:
            # Here, because at the interpreter's end it is too late to say nothing.
            sys.stdout.flush()
    except BrokenPipeError:
        # What could not be written stays in the buffers, and is written again at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return OUTPUT_GONE


def _run(arguments: Sequence[str] | None) -> int:
    parsed = build_parser().parse_args(arguments)
    try:
        return int(parsed.main(parsed))
    except BrokenPipeError:
        # Failures of the network have errors of their own by now, so this is ours to print to.
        raise
    except KeyboardInterrupt:
        print(f"judged-useless {parsed.command}: interrupted; the same command resumes", file=sys.stderr)
        return 130
    except (OSError, ValueError, ImportError) as error:
        # What a user can mend is one sentence; anything else is a fault of ours and shows its traceback.
        print(f"judged-useless {parsed.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
