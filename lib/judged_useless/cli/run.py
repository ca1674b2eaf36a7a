"""Run one cell of the experiment, or what is missing of it, and print the success of each regime and Δ."""

import argparse
import asyncio
import textwrap
from inspect import signature
from typing import Any

from judged_useless.cli import options

#: Actions of the shortest episodes that have a step to compare: these are 3 to budget - 2.
LEAST_BUDGET = 5
#: Regimes with a number or two, as `judged_useless.environment.regimes.PARAMETRIC` reads them.
_PATTERNS = "recover_after_N, late_onset_from_N, intermittent_RATE_SEED, ts_REGIME"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``run``."""
    from judged_useless.environment.regimes import MEAN6

    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _names()
    parser.add_argument(
        "--model", required=True,
        help="provider:name, such as openai:Qwen/Qwen3-8B or scripted:own-5; see below",
    )  # fmt: skip
    parser.add_argument(
        "--condition", default="unaided", help="one of those below, or parts joined with + (%(default)s)"
    )
    parser.add_argument(
        "--task", default="hotpotqa", help="hotpotqa, fever, atlas, atlas-claims (%(default)s)"
    )
    parser.add_argument("--split", help="split of the task (test300, fever292, claims)")
    parser.add_argument(
        "--regimes", nargs="+", default=MEAN6, metavar="REGIME", help="any of those below (the six of mean6)"
    )
    parser.add_argument(
        "--n-questions", type=options.positive, metavar="N", help="the first N questions only (all)"
    )
    parser.add_argument(
        "--budget", type=options.positive, default=8, help="actions of an episode (%(default)s)"
    )
    parser.add_argument(
        "--k", type=options.positive, default=5,
        help="useless judgments in a row at which a rule acts (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="base seed of sampling (that of the released runs, 42)")
    parser.add_argument("--out", help="run directory (a folder under runs/ named after the cell)")
    parser.add_argument(
        "--no-judge", dest="judge", action="store_false",
        help="record judgments only where the condition uses them",
    )  # fmt: skip
    parser.add_argument(
        "--judgment-tokens", type=options.positive, default=8, metavar="N",
        help="most tokens of a judgment (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--useless-rate", type=float, metavar="P", help="for random: the model's own share of USELESS"
    )
    parser.add_argument(
        "--constrain", action="store_true", help="hold turns to their form while they are generated"
    )
    parser.add_argument("--style", choices=("react", "search-r1"), help="how turns are written (by model)")
    parser.add_argument(
        "--lookup", choices=("released", "paper"), default="released", help="repeated lookups (%(default)s)"
    )
    parser.add_argument(
        "--replicate", metavar="TAG", help="draw other failed observations; give another --seed with it"
    )
    options.add_running_arguments(parser)
    options.add_model_arguments(parser)


def _names() -> str:
    """Return what can be asked for, by the registries themselves."""
    from judged_useless.environment.regimes import REGIMES
    from judged_useless.models.presets import load_presets
    from judged_useless.models.scripted_policies import COUNTED, POLICIES
    from judged_useless.protocol.conditions import CONDITIONS, PARTS

    policies = ", ".join([*POLICIES, *(f"{name}-N" for name in COUNTED)])
    agents = [name for name, preset in load_presets().items() if preset.served]
    lists = {
        "providers": "vllm (in this process, needs a GPU), openai (any server that speaks its API: vLLM, "
        "SGLang, llama.cpp), anthropic, scripted (no language model). The packages: pip install "
        "'judged-useless[vllm]', '[openai]', '[anthropic]', or in a checkout pip install -e '.[vllm]'",
        "names": f"any model of the provider's. The paper's agents go by their released names too, with its "
        f"decoding: {', '.join(agents)}; openai:qwen3-8b and openai:Qwen/Qwen3-8B are one. search-r1 "
        "needs --served-name",
        "scripted": policies,
        "conditions": ", ".join(CONDITIONS),
        "parts": ", ".join(PARTS),
        "regimes": f"{', '.join(REGIMES)}; and {_PATTERNS}",
    }
    return "\n".join(
        textwrap.fill(
            text, 108, initial_indent=f"{name}:".ljust(12), subsequent_indent=" " * 12,
            break_on_hyphens=False, break_long_words=False,
        )
        for name, text in lists.items()
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Run the cell and print what came of it; return 1 if episodes are missing, else 0."""
    from judged_useless.afterwards.probe_findings import read_run
    from judged_useless.models.base import ModelError
    from judged_useless.runs.cell import run_cell

    taken = signature(run_cell).parameters
    given = {name: value for name, value in vars(arguments).items() if name in taken}
    try:
        run = asyncio.run(run_cell(**given, **options.model_options(arguments, arguments.model)))
    except ModelError as error:
        options.print_error("run", error)
        return 1
    print(
        f"{run.path}: {run.manifest['n_episodes']['done']} episodes"
        + (", simulated" if run.simulated else "")
    )
    _report(read_run(run.path), run.manifest["spec"]["budget"])
    _report_judgments(**run.manifest.get("judgments", {}))
    return 0


def _report_judgments(asked: int = 0, unparsed: int = 0, cut: int = 0) -> None:
    """Say how many judgments could not be read, and what to do if they are many."""
    if unparsed:
        print(f"{unparsed} of {asked} judgments say neither USEFUL nor USELESS; {cut} of them were cut off")
    if unparsed > asked / 10:
        print(
            "So no rule on them can act, and Δ has little to go by. Turn thinking off (--extra-body), "
            "give it more tokens (--judgment-tokens 512), or hold it to the form (--constrain)."
        )


def _report(episodes: Any, budget: int) -> None:  # noqa: ANN401 - a table; pandas is not imported for --help
    from judged_useless.environment.regimes import FAIL
    from judged_useless.estimators.contrast import time_matched_contrast
    from judged_useless.estimators.estimate import UndefinedEstimateError
    from judged_useless.estimators.matching import WITHOUT_FAILURE
    from judged_useless.estimators.success import success_by_regime

    print(success_by_regime(episodes)[["value", "low", "high", "n"]].to_string(na_rep="–"))
    failing = episodes[episodes["regime"].isin(FAIL)]
    if others := sorted(set(episodes["regime"]) - {*FAIL, *WITHOUT_FAILURE}):
        print(f"Δ is of the regimes {', '.join(FAIL)}, without {', '.join(others)}")
    if failing.empty or budget < LEAST_BUDGET:
        pooled = f"it is of the regimes {', '.join(FAIL)}, and none of them was run"
        print(f"no Δ: {pooled if failing.empty else f'it needs a budget of at least {LEAST_BUDGET} actions'}")
        return
    try:
        print(time_matched_contrast(failing))
    except (UndefinedEstimateError, ValueError) as error:
        print(f"Δ is undefined: {str(error).removeprefix('Δ is undefined: ')}")
