"""Ask something of a run's recorded trajectories; the results lie beside the run and are read with it."""

import argparse
import asyncio
import sys

from judged_useless.commands.options import add_model_arguments, model_options

SUMMARY = "ask judgments, answers now, beliefs or real answers of a recorded run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``replay``."""
    parser.add_argument("run", metavar="RUN", help="run directory; nothing is written into it")
    parser.add_argument(
        "--probe",
        required=True,
        nargs="+",
        metavar="PROBE",
        help="judgments, answer-now, beliefs, repair, stated: one or several, done in this order",
    )
    parser.add_argument("--model", help="provider:name (the run's model, decoding as recorded)")
    parser.add_argument(
        "--other-model",
        action="store_true",
        help="allow a model that is not the run's; what it says is not the agent's own, and lies apart",
    )
    parser.add_argument("--regimes", nargs="+", metavar="REGIME", help="only these regimes of the run (all)")
    parser.add_argument("--source", metavar="PATH", help="where the task is read from")
    parser.add_argument("--concurrency", type=int, metavar="N", help="requests in flight (by provider)")
    parser.add_argument("--quiet", dest="progress", action="store_false", help="no progress bar")
    add_model_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Probe the run and print what came of it.

    Returns
    -------
    int
        0 if every probe is complete, 1 if requests failed so that results are missing.
    """
    from judged_useless.models import ModelError
    from judged_useless.probes import get_probe, replay
    from judged_useless.probes.acting import name_of_model
    from judged_useless.runs import Run
    from judged_useless.runs.checking import require_manifest

    run = Run(arguments.run)
    for probe in arguments.probe:
        get_probe(probe)
    options = model_options(arguments, arguments.model or name_of_model(run))
    for probe in arguments.probe:
        try:
            folder = asyncio.run(
                replay(
                    run,
                    probe,
                    model=arguments.model,
                    regimes=arguments.regimes,
                    other_model=arguments.other_model,
                    source=arguments.source,
                    concurrency=arguments.concurrency,
                    progress=arguments.progress,
                    **options,
                )
            )
        except ModelError as error:
            print(f"judged-useless replay: {probe}: {error}", file=sys.stderr)
            return 1
        done = require_manifest(folder)
        counts = f"{done['n_episodes']['done']} episodes, {done['tokens'].get('calls', 0)} calls"
        print(f"{folder}: {counts}" + (", simulated" if done["simulated"] else ""))
    return 0
