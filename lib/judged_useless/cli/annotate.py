"""Have two annotators label a run's results and stated judgments; a person settles where they differ."""

import argparse

from judged_useless.cli import options

_EPILOG = """\
streams (paper, Appendix B.2; the rubric is data/rubric.md):
  S1  what each result is worth: useful_new, related, redundant, off_topic, unclear. The yardstick for what
      the agent says of its results; no measure of stopping is computed from it.
  S2  what the thought after each result says of it: says_useless, partly_useful, useful, no_judgment,
      unclear. In the place of the keyword reader's judgments it gives Δ of stated judgments (Table 23).

Annotators see one record at a time, without regime, expected answer and outcome. The first one named is the
primary: where the two differ and nobody rules, its label stands. Without a model, try it with
scripted:annotator-5 and scripted:annotator-10, which are wrong in 5 and 10 percent (labelled simulated).

Everything lies in the folder --out, by default RUN.probes/annotation beside the run: a folder for each
annotator, in it one a stream in the form of a run, which the same command resumes; and for each stream its
final labels (labels-S1.csv) and a sheet of disagreements (disagreements-S1.csv), which is never overwritten.
Fill in its column 'adjudicated' and give it with --adjudicated.
Streams may be asked one after the other: what there is of the other one stays.
A cap of costs holds for each annotator, and what a server may need for both.
Its runs have to be complete.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``annotate``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("run", metavar="RUN", nargs="+", help="run directory; nothing is written into it")
    parser.add_argument(
        "--annotator", required=True, action="append", metavar="PROVIDER:NAME",
        help="to be given twice, best of two model families; the first is the primary",
    )  # fmt: skip
    parser.add_argument("--stream", choices=("S1", "S2", "both"), default="both", help="(%(default)s)")
    parser.add_argument(
        "--n", type=options.positive, metavar="N",
        help="a sample of N records a stream, every regime with its share of failed and real results (all)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FOLDER", help="where results lie (RUN.probes/annotation)")
    parser.add_argument(
        "--show-labels", action="store_true",
        help="show both annotators' labels on the sheet; without, the ruling is blind",
    )  # fmt: skip
    parser.add_argument(
        "--check", type=int, default=40, metavar="N",
        help="besides all disagreements that change a count, N of the others go on the sheet (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--adjudicated", nargs="+", metavar="FILE", help="sheets that were filled in")
    parser.add_argument(
        "--base-url", action="append", default=[], metavar="[ANNOTATOR=]URL",
        help="server of both annotators, or of the one named before =; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--greedy", action="append", default=[], metavar="ANNOTATOR",
        help="have this one decode at temperature 0, as the paper's local annotator did (as its preset says)",
    )  # fmt: skip
    parser.add_argument(
        "--constrain", action="store_true", help="hold replies to their form, for very small models"
    )
    options.add_running_arguments(parser)
    options.add_server_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Annotate the runs, print what came of it, and return 1 if labels are missing."""
    from judged_useless.cli.annotation import annotate_runs

    return annotate_runs(arguments)
