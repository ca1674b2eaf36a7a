"""Print questions of *atlas* with their gold pages, or claims with their evidence, for reading by eye.

Run ``python tools/atlas_sheet.py --seed 1`` for twenty random questions, ``--claims`` for claims. Sentences
that the answer rests on are marked with ``*``.
"""

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data" / "questions"


def read(name: str) -> list[dict[str, Any]]:
    """Read questions (JSON lines) or claims (a JSON list)."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json.gz") else [json.loads(line) for line in file]


def question_sheet(row: dict[str, Any]) -> Iterator[str]:
    """Write a question with its two gold pages and the titles of its distractors."""
    facts = set(zip(row["supporting_facts"]["title"], row["supporting_facts"]["sent_id"], strict=True))
    gold = {title for title, _ in facts}
    yield f"{row['id']} [{row['type']}, {row['level']}]"
    yield f"  Q: {row['question']}"
    yield f"  A: {row['answer']}"
    pages = list(zip(row["context"]["title"], row["context"]["sentences"], strict=True))
    for title, sentences in pages:
        if title in gold:
            marked = (f"{'*' if (title, i) in facts else ' '}{text}" for i, text in enumerate(sentences))
            yield f"  [{title}] {' '.join(marked)}"
    yield f"  others: {'; '.join(title for title, _ in pages if title not in gold)}"


def claim_sheet(row: dict[str, Any]) -> Iterator[str]:
    """Write a claim with its evidence pages and the titles of the others."""
    yield f"{row['id']} [{row['type']}, {row['level']}]"
    yield f"  claim: {row['question']}"
    yield f"  {row['answer']}"
    for title in row["supporting_titles"]:
        yield f"  [{title}] {row['knowledge_base'][title]}"
    yield f"  others: {'; '.join(t for t in row['knowledge_base'] if t not in row['supporting_titles'])}"


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="decides which questions (default 0)")
    parser.add_argument("--n", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--claims", action="store_true", help="claims instead of questions")
    arguments = parser.parse_args()
    rows = read("atlas_claims.json.gz" if arguments.claims else "atlas.jsonl.gz")
    sheet = claim_sheet if arguments.claims else question_sheet
    for number, row in enumerate(random.Random(arguments.seed).sample(rows, arguments.n), start=1):
        sys.stdout.write(f"{number}. " + "\n".join(sheet(row)) + "\n\n")


if __name__ == "__main__":
    main()
