"""How far one gets on *atlas* with the words of the question alone, without pages and without knowledge.

Run ``python tools/atlas_baseline.py`` for a table by family, ``--json`` for the same as JSON. Two settings:

- *learned*: test300 is answered with dev100 and fresh300 as material to learn from; in each family the
  strategy is used that does best within that material (each question answered from the others).
- *hindsight*: every question is answered with all the others as material, and in each family the best
  strategy is the one that turns out best on the very questions it is measured on. No honest guesser can
  choose so well: this bounds the strategies from above.

Every guesser is told the family of a question and is scored by the protocol's rule (token F1 of 0.6).
"""

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from judged_useless.tasks.atlas import SPLITS, load
from judged_useless.tasks.scoring import answer_is_correct

_WORD = re.compile(r"[\w.'-]+")
_CAPITALISED = r"[A-ZÀ-Þ][\w.'-]*"
_NAME = re.compile(rf"{_CAPITALISED}(?: (?:of |de |del |the |los )*{_CAPITALISED})*|\.[a-z]{{2}}\b")


class Item(NamedTuple):
    """A question with what can be read off it."""

    id: str
    family: str
    text: str
    answer: str
    words: tuple[str, ...]
    names: tuple[str, ...]


Strategy = Callable[[Item, Sequence[Item]], str]


def read_items() -> dict[str, list[Item]]:
    """Read all questions, by split."""
    return {split: [_item(q.id, q.text, q.answer) for q in load(split)] for split in SPLITS}


def _item(identifier: str, text: str, answer: str) -> Item:
    words = tuple(_WORD.findall(text.lower()))
    family = identifier.split("-")[1]
    return Item(identifier, family, text, answer, words, _names(text))


def _names(text: str) -> tuple[str, ...]:
    """Find runs of capitalised words, without the word that opens the question, and top-level domains."""
    runs = _NAME.findall(text)
    opening = ("What", "Which", "Name", "How", "In", "Of", "By", "The")
    trimmed = (re.sub(rf"^({'|'.join(opening)})\b ?", "", run).strip(" .?,") for run in runs)
    return tuple(name for name in trimmed if name)


def constant(item: Item, others: Sequence[Item]) -> str:
    """Say the reply that would be right most often in the family: an answer, or a word of several."""
    answers = tuple(sorted(other.answer for other in others if other.family == item.family))
    return _best_reply(answers)


_REPLIES: dict[tuple[str, ...], str] = {}


def _best_reply(answers: tuple[str, ...]) -> str:
    if answers not in _REPLIES:
        replies = sorted({*answers, *(word for answer in answers for word in answer.split())})
        right = {reply: sum(answer_is_correct(reply, answer) for answer in answers) for reply in replies}
        _REPLIES[answers] = max(replies, key=lambda reply: right[reply], default="")
    return _REPLIES[answers]


def constant_of_kind(item: Item, others: Sequence[Item]) -> str:
    """Say the reply that is right most often among all families that ask for the same kind of thing."""
    kind = item.family.split("_")[-1]
    return _best_reply(tuple(sorted(o.answer for o in others if o.family.split("_")[-1] == kind)))


def most_alike(item: Item, others: Sequence[Item]) -> str:
    """Say the answer of the question that shares most rare words (TF-IDF, cosine)."""
    return _nearest(item, [other for other in others if other.family == item.family])


def most_alike_anywhere(item: Item, others: Sequence[Item]) -> str:
    """Say the answer of the most similar question of any family."""
    return _nearest(item, others)


def _nearest(item: Item, others: Sequence[Item]) -> str:
    frequency = Counter(word for other in others for word in set(other.words))

    def weight(word: str) -> float:
        return math.log((1 + len(others)) / (1 + frequency[word]))

    def likeness(other: Item) -> float:
        norm = math.sqrt(sum(weight(word) ** 2 for word in set(other.words))) or 1.0
        return sum(weight(word) ** 2 for word in set(item.words) & set(other.words)) / norm

    return max(others, key=likeness).answer if others else ""


def same_name(item: Item, others: Sequence[Item]) -> str:
    """Say the commonest answer of the questions that name one of the same things."""
    answers = Counter(other.answer for other in others if set(other.names) & set(item.names))
    return min(answers, key=lambda answer: (-answers[answer], answer)) if answers else ""


def bayes(item: Item, others: Sequence[Item]) -> str:
    """Say the answer that the words make most likely, by naive Bayes within the family."""
    by_answer: dict[str, Counter[str]] = defaultdict(Counter)
    prior: Counter[str] = Counter()
    for other in others:
        if other.family == item.family:
            by_answer[other.answer].update(set(other.words))
            prior[other.answer] += 1

    def score(answer: str) -> float:
        seen = by_answer[answer]
        return math.log(prior[answer]) + sum(
            math.log((seen[word] + 0.1) / (prior[answer] + 0.2)) for word in set(item.words)
        )

    return max(sorted(by_answer), key=score, default="")


def _named(position: int) -> Strategy:
    def strategy(item: Item, others: Sequence[Item]) -> str:
        return item.names[position] if len(item.names) >= abs(position + (position >= 0)) else ""

    return strategy


def _letters(count: int, upper: bool, tail: str = "") -> Strategy:
    """Spell a code from the first letters of the last thing named."""

    def strategy(item: Item, others: Sequence[Item]) -> str:
        code = re.sub(r"[^a-z]", "", (item.names[-1] if item.names else "").lower())[:count] + tail
        return code.upper() if upper else code

    return strategy


def initials(item: Item, others: Sequence[Item]) -> str:
    """Spell a code from the initials of the last thing named."""
    return "".join(word[0] for word in (item.names[-1] if item.names else "").split()).upper()


STRATEGIES: dict[str, Strategy] = {
    "constant": constant,
    "constant of kind": constant_of_kind,
    "most alike": most_alike,
    "most alike anywhere": most_alike_anywhere,
    "same name": same_name,
    "naive Bayes": bayes,
    "first name": _named(0),
    "second name": _named(1),
    "last name": _named(-1),
    "initials": initials,
    "two letters": _letters(2, upper=False),
    "three letters": _letters(3, upper=False),
    "TWO LETTERS": _letters(2, upper=True),
    "THREE LETTERS": _letters(3, upper=True),
    **{f"two letters and {tail.upper()}": _letters(2, upper=True, tail=tail) for tail in "dfprsk"},
}


def right(items: Iterable[Item], material: Sequence[Item]) -> dict[str, dict[str, int]]:
    """Count right answers.

    Parameters
    ----------
    items : iterable of Item
        What is answered; an item is never in its own material.
    material : sequence of Item
        What is learnt from.

    Returns
    -------
    dict of str to dict of str to int
        Family -> strategy -> number of right answers.
    """
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(STRATEGIES, 0))
    for item in items:
        others = [other for other in material if other.id != item.id]
        for name, strategy in STRATEGIES.items():
            table[item.family][name] += answer_is_correct(strategy(item, others), item.answer)
    return table


def hindsight(splits: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float | str]]:
    """Return, by family and overall, the share that the best strategy of each family gets right."""
    everything = [item for split in splits.values() for item in split]
    table = right(everything, everything)
    result: dict[str, dict[str, float | str]] = {}
    for family, counts in table.items():
        members = [item.answer for item in everything if item.family == family]
        # The best constant reply may have been chosen with the question itself in view.
        reply = _best_reply(tuple(sorted(members)))
        counts["constant, itself included"] = sum(answer_is_correct(reply, answer) for answer in members)
        best = max(counts, key=lambda name: counts[name])
        result[family] = {"n": len(members), "right": counts[best], "strategy": best}
    return _with_total(result)


def learned(splits: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float | str]]:
    """Return, by family and overall, the share of test300 that is got right after learning on the others."""
    test, known = splits["test300"], [*splits["dev100"], *splits["fresh300"]]
    rehearsal, table = right(known, known), right(test, known)
    result: dict[str, dict[str, float | str]] = {}
    for family, counts in table.items():
        best = max(STRATEGIES, key=lambda name: rehearsal[family][name])
        n = sum(item.family == family for item in test)
        result[family] = {"n": n, "right": counts[best], "strategy": best}
    return _with_total(result)


def _with_total(result: dict[str, dict[str, float | str]]) -> dict[str, dict[str, float | str]]:
    total = {"n": 0.0, "right": 0.0}
    for family in result.values():
        total["n"] += float(family["n"])
        total["right"] += float(family["right"])
        family["share"] = round(float(family["right"]) / float(family["n"]), 4)
    share = round(total["right"] / total["n"], 4)
    return {**dict(sorted(result.items())), "overall": {**total, "strategy": "", "share": share}}


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    items = read_items()
    results = {"learned": learned(items), "hindsight": hindsight(items)}
    if as_json:
        sys.stdout.write(json.dumps(results, indent=1) + "\n")
        return
    for setting, table in results.items():
        sys.stdout.write(f"{setting}\n")
        for family, cell in table.items():
            count = f"{float(cell['right']):.0f}/{float(cell['n']):.0f}"
            sys.stdout.write(f"  {family:20} {count:>8} {float(cell['share']):7.1%}  {cell['strategy']}\n")


if __name__ == "__main__":
    main()
