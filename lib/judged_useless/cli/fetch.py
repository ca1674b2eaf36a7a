"""Download the released episodes, check them, and compare every cell with the paper."""

import argparse

from tqdm import tqdm


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``fetch``."""
    from judged_useless.sources.hub import REPOSITORY
    from judged_useless.sources.readers import SPLITS

    parser.add_argument(
        "--repository", default=REPOSITORY,
        help="data set on the hub, or a local folder in its layout (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--split", action="append", choices=SPLITS,
        help="this split only, beside what of the same commit is in the cache; may be repeated (all)",
    )  # fmt: skip
    parser.add_argument("--revision", help="commit, tag or branch of the data set (the newest)")


def main(arguments: argparse.Namespace) -> int:
    """Fetch, print which cells equal the paper's in Δ and mean6, and return 1 if one does not, else 0."""
    from judged_useless.sources.hub import fetch
    from judged_useless.sources.readers import SPLITS, load_episodes, unfetched
    from judged_useless.sources.released import compare_cells, summary

    splits = arguments.split or SPLITS
    fetched = fetch(arguments.repository, splits=splits, revision=arguments.revision)
    counted = sum(n for split, n in fetched.n_episodes.items() if split in splits)
    print(f"fetched {counted:,} episodes of {fetched.repository}")
    if hint := unfetched(SPLITS):
        print(f"in the cache is only {', '.join(fetched.n_episodes)}: {hint}")
    episodes = load_episodes("hub", split=list(fetched.n_episodes))
    cells = compare_cells(episodes, progress=lambda cells: tqdm(cells, desc="cells", unit="cell"))
    print(cells.to_string(index=False, na_rep="–"))
    print(summary(cells))
    return 0 if cells["equal"].dropna().all() else 1
