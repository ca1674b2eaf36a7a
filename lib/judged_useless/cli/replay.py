"""Ask something of a run's recorded trajectories; the results lie beside the run and are read with it."""

import argparse
import asyncio

from judged_useless.cli import options

_PROBES = """\
probes, each on copies of the run's conversations:
  judgments   was the latest result USELESS or USEFUL? Asked of the agent at every result, the last one
              included. One call a result. For Δ of a run made with --no-judge; the paper asked it in the
              five regimes with failures, the offline policies need it in clean and plausible too.
  answer-now  what would you answer now? Asked of the agent at every decision. One call a decision, two where
              the answer copies the template. For the offline policies (Table 17): --regimes clean persistent
              plausible recover_after_2
  beliefs     what was the result worth, and what are going on and answering now worth? Asked of the agent at
              every decision. Two calls a decision. For Figure 6, in the same four regimes.
  repair      what is your real answer? Asked of the agent once an episode, only where its answer copies the
              template ("your best guess"). Usually few calls or none. For the repaired numbers; any regime.
  stated      which judgment does the thought after each result state? Asked of an annotator, by the rubric:
              name it with --model provider:name --other-model. One call a thought. For Table 23, in
              the five regimes with failures.

The run has to be complete. Its model is asked, with the decoding it was run with and in the fields and words
of its server. Give --base-url, --timeout and --attempts again: a run's server is written down, not taken
over, since it may be another one by then.
Results lie in RUN.probes/PROBE beside the run and are read with it; asking again asks what is missing. What
another model says (but for stated) lies in RUN.probes/PROBE@MODEL and is read only where MODEL is named.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``replay``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _PROBES
    parser.add_argument("run", metavar="RUN", help="run directory; nothing is written into it")
    parser.add_argument(
        "--probe", required=True, nargs="+", metavar="PROBE",
        help="judgments, answer-now, beliefs, repair, stated: one or several, done in the order given",
    )  # fmt: skip
    parser.add_argument("--model", help="provider:name (the run's model, decoding as recorded)")
    parser.add_argument(
        "--other-model", action="store_true",
        help="allow a model that is not the run's; what it says is not the agent's own, and lies apart",
    )  # fmt: skip
    parser.add_argument("--regimes", nargs="+", metavar="REGIME", help="only these regimes of the run (all)")
    options.add_running_arguments(parser)
    options.add_model_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Probe the run and print what came of it; return 1 if results are missing, else 0."""
    from judged_useless.afterwards.probes import get_probe
    from judged_useless.afterwards.replaying import name_of_model, replay
    from judged_useless.models.base import ModelError
    from judged_useless.runs.manifests import require_manifest
    from judged_useless.runs.recorded import Run

    run = Run(arguments.run)
    for probe in arguments.probe:
        get_probe(probe)
    if "stated" in arguments.probe and not arguments.model and not run.simulated:
        raise ValueError(
            "--probe stated is asked of an annotator, for no agent is to label its own thoughts: name one "
            "with --model provider:name --other-model"
        )
    given = options.model_options(arguments, arguments.model or name_of_model(run))
    names = ("model", "regimes", "other_model", "source", "concurrency", "progress")
    asked = {name: getattr(arguments, name) for name in names}
    for probe in arguments.probe:
        try:
            folder = asyncio.run(replay(run, probe, **asked, **given))
        except ModelError as error:
            options.print_error(f"replay: {probe}", error)
            return 1
        done = require_manifest(folder)
        counts = f"{done['n_episodes']['done']} episodes, {done['tokens'].get('calls', 0)} calls"
        if probe == "repair" and not done["n_episodes"]["planned"]:
            where = ", ".join(done["spec"]["regimes"])
            counts += f": no answer copies the template, so there is nothing to repair, in {where}"
        print(f"{folder}: {counts}{', simulated' if done['simulated'] else ''}")
    return 0
