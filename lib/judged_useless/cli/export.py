"""Write runs as a data set in the hub's layout, with a card, ready to be published or read back."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``export``."""
    parser.add_argument("run", metavar="RUN", nargs="+", help="run directory, complete")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to make; not there yet")
    parser.add_argument(
        "--license", default="", metavar="ID", help="what the hub calls it, as cc-by-4.0 (none is named)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Export the runs and say where to; return 0."""
    from judged_useless.sources.exporting import export

    out = export(arguments.run, arguments.out, licence=arguments.license)
    print(f"{out}: {len(list(out.glob('*.parquet')))} files and a card, README.md; read it before publishing")
    return 0
