"""Say how an agent stops by its own logs: on its evidence, by the step, never; and what the rule would do."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from judged_useless.cli.options import add_model_arguments, model_options, positive

if TYPE_CHECKING:
    from judged_useless.adapters import AgentLog

#: Where the manifest of a run, or of a folder of runs, is.
_MANIFESTS = ("manifest.json", "*/manifest.json")
#: Options of a judge, and of it alone.
_OF_JUDGE = (
    "judge_cache", "concurrency", "base_url", "served_name", "context", "timeout", "attempts", "field",
    "end_word", "reasoning", "extra_body", "prices", "cost_cap_usd",
)  # fmt: skip

_EPILOG = """\
logs: episodes as JSON lines, JSON or Parquet; a CSV file of one row a step (question_id, action, judgment);
  lists of OpenAI messages (chat, Responses) or Anthropic messages, one conversation a line or a file; ATIF
  trajectories; Claude Code sessions; Inspect logs; Scout transcript databases; a run of this project. Message
  lists and what follows them need the packages of pip install 'judged-useless[transcripts]'.
judgments are those of the log; where it has none, what the agent's next turn states (English); or a judge's.

exit status: 0, or 1 if the log cannot be read. With --strict 3 unless the agent stops on its evidence, and 4
  where the log is too short to tell.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``audit``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("logs", metavar="LOG", nargs="+", help="files, or folders of them")
    parser.add_argument(
        "--map", type=_mapping, default={}, metavar="TOOL=ACTION,…",
        help="what tools are: search, lookup, finish; nothing after = for one that is no step, as in todo=",
    )  # fmt: skip
    parser.add_argument("--budget", type=int, metavar="N", help="actions an episode may take (by the log)")
    parser.add_argument(
        "--judgments", choices=("recorded", "stated", "lexical"), help="which (recorded, else stated)"
    )
    parser.add_argument("--judge", metavar="MODEL", help="provider:name of a model that judges each result")
    parser.add_argument("--judge-cache", metavar="FILE", help="its replies (a file in the user's cache)")
    parser.add_argument("--n-boot", type=positive, default=2000, metavar="N", help="resamples (%(default)s)")
    parser.add_argument("--out", metavar="FILE", help="write the report as one HTML page")
    parser.add_argument("--json", action="store_true", help="print the audit as JSON, and nothing else")
    parser.add_argument("--strict", action="store_true", help="let the exit status say how it stops")
    parser.add_argument("--concurrency", type=positive, metavar="N", help="requests of the judge in flight")
    add_model_arguments(parser)


def _mapping(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(tool and equals for tool, equals, _ in pairs):
        raise argparse.ArgumentTypeError(f"{text!r}: expected TOOL=ACTION,TOOL=ACTION")
    return {tool.strip(): action.strip() for tool, _, action in pairs}


def main(arguments: argparse.Namespace) -> int:
    """Audit the logs, and print or write what came of it."""
    from judged_useless._io.files import write_atomically
    from judged_useless._io.messages import visible
    from judged_useless.adapters import audit_log
    from judged_useless.adapters.auditing import GROUPS, dashed
    from judged_useless.cli.options import print_error
    from judged_useless.models.base import ModelError

    given = [name for name in _OF_JUDGE if getattr(arguments, name) is not None]
    if given and not arguments.judge:
        raise ValueError(f"--{given[0].replace('_', '-')} is an option of --judge, which is not given")
    if arguments.judge and arguments.judgments:
        raise ValueError("--judge and --judgments exclude each other: a judge's judgments are gone by")
    if arguments.out:
        _refuse_foreign(Path(arguments.out), [*arguments.logs, *filter(None, [arguments.judge_cache])])
    log = _read(arguments.logs, arguments.map)
    if arguments.judge:
        try:
            log = asyncio.run(_judged(log, arguments))
        except ModelError as error:
            print_error("audit", error)
            return 1
    audit = audit_log(log, budget=arguments.budget, judged=arguments.judgments, n_boot=arguments.n_boot)
    if arguments.out:
        write_atomically(Path(arguments.out), lambda file: file.write_text(audit.html(), encoding="utf-8"))
    if arguments.json:
        print(json.dumps(audit.as_dict(), indent=2, allow_nan=False))
    else:
        simulated = ["Simulated: an agent of these episodes is no language model."] if audit.simulated else []
        lines = [*audit.understood, *simulated, "", audit.verdict, "", str(audit.delta), GROUPS]
        lines += [f"On failures known by design: {audit.design}", "", "What the rule would have done:"]
        rule = dashed(audit.rule).to_string(index=False)
        lines.append("not known, for want of judgments" if audit.rule.empty else rule)
        if arguments.out:
            lines += ["", f"{arguments.out}: the report, with the figure"]
        print(visible("\n".join(lines)))
    if not arguments.strict or audit.kind == "evidence":
        return 0
    return 4 if audit.kind == "too few" else 3


def _refuse_foreign(out: Path, read: Sequence[str]) -> None:
    """Refuse to write a report over anything but a former report."""
    if out.resolve() in {Path(each).resolve() for each in read}:
        raise ValueError(f"--out {out}: it is read, and would be overwritten")
    if out.exists() and b'content="judged-useless audit"' not in out.read_bytes()[:1000]:
        raise ValueError(f"--out {out}: there is a file that is no report of an audit; give another name")


def _read(paths: Sequence[str], mapping: dict[str, str]) -> "AgentLog":
    from judged_useless.adapters import AgentLog, read_log

    runs = [path for path in paths if any(chain.from_iterable(map(Path(path).glob, _MANIFESTS)))]
    if not runs:
        return read_log(paths, mapping=mapping)
    if len(runs) < len(paths) or mapping:
        what = "--map is" if mapping else "other logs are"
        raise ValueError(f"{runs[0]}: a run of this project, beside which {what} not read; audit it alone")
    from judged_useless.sources.readers import load_episodes

    return AgentLog.of_episodes(load_episodes(paths), "runs", paths)


async def _judged(log: "AgentLog", arguments: argparse.Namespace) -> "AgentLog":
    from judged_useless.adapters import judge_log
    from judged_useless.models import get_model

    def say(text: str) -> None:
        print(f"{arguments.judge}: {text}", file=sys.stderr)

    options = model_options(arguments, arguments.judge)
    model = get_model(arguments.judge, **options)
    given = {"cache": arguments.judge_cache, "concurrency": arguments.concurrency, "announce": say}
    try:
        return await judge_log(log, model, price=options.get("price"), **given)
    finally:
        await model.aclose()
