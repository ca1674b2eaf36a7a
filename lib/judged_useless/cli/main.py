"""Tell whether a tool-using agent stops on its own judgments: run it, replay it, audit its logs."""

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import argparse

#: Command -> what it does; each is a module here with ``add_arguments(parser)`` and ``main(arguments)``.
COMMANDS = {
    "fetch": "download the released episodes and compare every cell with the paper",
    "run": "run an agent on a failing source, or resume a run",
    "replay": "ask judgments, answers now, beliefs or real answers of a recorded run",
    "annotate": "have two models label what results were worth and what the agent said of them",
    "export": "write runs as a data set with a card, in the hub's layout",
    "audit": "say how an agent stops, by its own logs, and what the rule would have done",
}

#: Exit status as of a program that SIGPIPE ends, which is what a shell expects before ``| head``.
OUTPUT_GONE = 141


def build_parser(command: str | None = None) -> "argparse.ArgumentParser":
    """Return the parser of the command line, with the options of one command: only its module is imported."""
    import argparse  # here, where an interruption is told in one line

    from judged_useless._io.messages import visible

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            super().error(visible(message))

    parser = Parser(prog="judged-useless", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    modules = {name: f"judged_useless.cli.{name}" for name in COMMANDS}
    if command and command not in modules and not command.startswith("-"):
        # Of other packages, such as the book's: looked for only here, since that takes a third of a second.
        from importlib.metadata import entry_points

        modules |= {each.name: each.value for each in entry_points(group="judged_useless.commands")}
    for name, place in modules.items():
        subparser = commands.add_parser(name, help=COMMANDS.get(name))
        if name == command:
            module = import_module(place)
            subparser.description = module.__doc__
            module.add_arguments(subparser)
            subparser.set_defaults(main=module.main)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default that of ``sys.argv``, and return its exit status.

    0, or 1 after a message on the error stream; 130 if interrupted, 141 if what reads the output has gone.
    """
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            # Here, because at the interpreter's end it is too late to say nothing.
            sys.stdout.flush()
    except BrokenPipeError:
        # What could not be written stays in the buffers, and is written again at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return OUTPUT_GONE


def _run(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""

    def said(message: Warning | str, *_: object) -> str:
        from judged_useless._io.messages import visible

        return visible(f"judged-useless {command}: {message}\n")

    warnings.formatwarning = said  # type: ignore[assignment]
    try:
        parsed = build_parser(command).parse_args(arguments)
        return int(parsed.main(parsed))
    except BrokenPipeError:
        # Failures of the network have errors of their own by now, so this is ours to print to.
        raise
    except KeyboardInterrupt:
        print(f"judged-useless {command}: interrupted; the same command resumes", file=sys.stderr)
        return 130
    except (OSError, ValueError, ImportError) as error:
        # What a user can mend is one sentence; anything else is a fault of ours and shows its traceback.
        from judged_useless.cli.options import print_error

        print_error(command, error)
        return 1
