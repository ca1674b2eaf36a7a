"""HotpotQA, distractor setting, development set: the paper's main task (Yang et al., 2018)."""

from collections.abc import Sequence
from pathlib import Path

from judged_useless._io.hub_access import HubError, ask_hub, cache_alone, hub_errors
from judged_useless.tasks.downloads import download
from judged_useless.tasks.question import Question
from judged_useless.tasks.question_files import question_from, read_questions
from judged_useless.tasks.splits import select, split_ids

#: The data set on the hub.
REPOSITORY = "hotpotqa/hotpot_qa"
#: The original file, and its checksum.
ORIGINAL_URL = "http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json"
ORIGINAL_SHA256 = "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea"


def load(split: str, *, source: str | Path | None = None) -> list[Question]:
    """Load the questions of a split, in the order of its manifest.

    Parameters
    ----------
    split : str
        ``dev100``, ``test300`` or ``fresh300``.
    source : str or Path, optional
        ``"hub"`` (the default) reads the hub's rows through ``datasets``; ``"original"`` fetches the original
        JSON file and verifies its checksum; anything else is the path of a file in either form.

    Raises
    ------
    ValueError
        If the split is unknown, or the file lacks questions of it or is malformed.
    FileNotFoundError, ConnectionError
        If there is no such file, or the hub does not give it and no earlier load has left it in the cache.
    """
    ids = split_ids(split)
    if source is None or source == "hub":
        return select(_from_hub(ids), ids, source=REPOSITORY)
    path = download(ORIGINAL_URL, sha256=ORIGINAL_SHA256) if source == "original" else Path(source)
    return select(read_questions(path), ids, source=path)


def _from_hub(ids: Sequence[str]) -> list[Question]:
    """Read only the rows of a split: turning all 7,405 into questions takes several seconds."""
    from datasets import load_dataset

    refused: OSError | None = None
    try:
        ask_hub(REPOSITORY)
    except (HubError, FileNotFoundError) as error:
        refused = error
    try:
        with cache_alone(refused is not None), hub_errors(REPOSITORY):
            rows = load_dataset(REPOSITORY, "distractor", split="validation")
    except (HubError, FileNotFoundError, ValueError) as error:
        raise HubError(
            f"{REPOSITORY} could not be loaded: {refused or error}. No earlier load left it in the cache; "
            "instead, give the path of a HotpotQA file as source (--source), or use the embedded task atlas."
        ) from error
    wanted = set(ids)
    positions = [position for position, question_id in enumerate(rows["id"]) if question_id in wanted]
    return [question_from(row) for row in rows.select(positions)]
