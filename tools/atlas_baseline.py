"""How far one gets on *atlas* with the words of the question alone, without pages and without knowledge.

Run ``python tools/atlas_baseline.py`` for a table by family, ``--json`` for the same as JSON. Two settings:

- *learned*: test300 is answered with dev100 and fresh300 as material to learn from; in each family the
  strategy is used that does best within that material (each question answered from the others).
- *hindsight*: every question is answered with all the others as material, and in each family the best
  strategy is the one that turns out best on the very questions it is measured on. No honest guesser can
  choose so well: this bounds the strategies from above.

Claims are guessed by naive Bayes from their words, each fifth from the other four; chance is one half.

Every guesser is told the family of a question and is scored by the protocol's rule (token F1 of 0.6).
"""

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from judged_useless.tasks.atlas import SPLITS, load, load_claims
from judged_useless.tasks.scoring import answer_is_correct

#: Claims are answered in so many parts, each from the others.
_PARTS = 5
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


class Material:
    """Questions to learn from, with what is counted once for all who learn."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.families: dict[str, list[Item]] = defaultdict(list)
        self.kinds: dict[str, list[Item]] = defaultdict(list)
        frequency: Counter[str] = Counter()
        for item in items:
            self.families[item.family].append(item)
            self.kinds[_kind(item)].append(item)
            frequency.update(set(item.words))
        self.weight = {word: math.log(len(items) / count) ** 2 for word, count in frequency.items()}
        self.norm = {item.id: math.sqrt(math.fsum(self.weight[w] for w in set(item.words))) for item in items}

    def nearest(self, item: Item, among: Iterable[Item]) -> str:
        """Return the answer of the question whose words are most alike (TF-IDF, cosine)."""
        words = set(item.words)

        def likeness(other: Item) -> float:
            # Exact sums do not depend on the order of a set, which differs from run to run.
            shared = math.fsum(self.weight[word] for word in words & set(other.words))
            return shared / (self.norm[other.id] or 1.0)

        return max(_others(item, among), key=likeness).answer


Strategy = Callable[[Item, Material], str]


def _kind(item: Item) -> str:
    """Return what is asked for: a capital, a code, ..."""
    return item.family.split("_")[-1]


def _others(item: Item, items: Iterable[Item]) -> Iterable[Item]:
    return (other for other in items if other.id != item.id)


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


def constant(item: Item, material: Material) -> str:
    """Say the reply that would be right most often in the family: an answer, or a word of several."""
    return _best_reply(tuple(other.answer for other in material.families[item.family]), item, material)


def constant_of_kind(item: Item, material: Material) -> str:
    """Say the reply that is right most often among all families that ask for the same kind of thing."""
    return _best_reply(tuple(other.answer for other in material.kinds[_kind(item)]), item, material)


def _best_reply(answers: tuple[str, ...], item: Item, material: Material) -> str:
    """Return what is right most often, not counting the item's own answer if that is among them."""
    right = dict(_right_counts(answers))
    if item.id in material.norm:
        right = {reply: count - _scored(reply, item.answer) for reply, count in right.items()}
    best = max(right, key=lambda reply: right[reply], default="")
    return best if right.get(best) else ""


@cache
def _right_counts(answers: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    replies = sorted({*answers, *(word for answer in answers for word in answer.split())})
    return tuple((reply, sum(_scored(reply, answer) for answer in answers)) for reply in replies)


#: Most replies are compared with most answers many times over.
_scored = cache(answer_is_correct)


def most_alike(item: Item, material: Material) -> str:
    """Say the answer of the most similar question of the family."""
    return material.nearest(item, material.families[item.family])


def most_alike_anywhere(item: Item, material: Material) -> str:
    """Say the answer of the most similar question of any family."""
    return material.nearest(item, material.items)


def same_name(item: Item, material: Material) -> str:
    """Say the commonest answer of the questions that name one of the same things."""
    others = _others(item, material.items)
    answers = Counter(other.answer for other in others if set(other.names) & set(item.names))
    return min(answers, key=lambda answer: (-answers[answer], answer)) if answers else ""


def bayes(item: Item, material: Material) -> str:
    """Say the answer that the words make most likely, by naive Bayes within the family."""
    by_answer: dict[str, Counter[str]] = defaultdict(Counter)
    prior: Counter[str] = Counter()
    for other in _others(item, material.families[item.family]):
        by_answer[other.answer].update(set(other.words))
        prior[other.answer] += 1

    def score(answer: str) -> float:
        seen = by_answer[answer]
        return math.log(prior[answer]) + math.fsum(
            math.log((seen[word] + 0.1) / (prior[answer] + 0.2)) for word in set(item.words)
        )

    return max(sorted(by_answer), key=score, default="")


def _named(position: int) -> Strategy:
    def strategy(item: Item, material: Material) -> str:
        return item.names[position] if len(item.names) >= abs(position + (position >= 0)) else ""

    return strategy


def _letters(count: int, upper: bool, tail: str = "") -> Strategy:
    """Spell a code from the first letters of the last thing named."""

    def strategy(item: Item, material: Material) -> str:
        code = re.sub(r"[^a-z]", "", (item.names[-1] if item.names else "").lower())[:count] + tail
        return code.upper() if upper else code

    return strategy


def initials(item: Item, material: Material) -> str:
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


def right(items: Iterable[Item], material: Material) -> dict[str, dict[str, int]]:
    """Count right answers.

    Parameters
    ----------
    items : iterable of Item
        What is answered; nobody learns from the very question that is to be answered.
    material : Material
        What is learnt from.

    Returns
    -------
    dict of str to dict of str to int
        Family -> strategy -> number of right answers.
    """
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(STRATEGIES, 0))
    for item in items:
        for name, strategy in STRATEGIES.items():
            table[item.family][name] += answer_is_correct(strategy(item, material), item.answer)
    return table


def hindsight(splits: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float | str]]:
    """Return, by family and overall, the share that the best strategy of each family gets right."""
    everything = [item for split in splits.values() for item in split]
    table = right(everything, Material(everything))
    result: dict[str, dict[str, float | str]] = {}
    for family, counts in table.items():
        members = tuple(item.answer for item in everything if item.family == family)
        # The best constant reply may have been chosen with the question itself in view.
        counts["constant, itself included"] = max(count for _, count in _right_counts(members))
        best = max(counts, key=lambda name: counts[name])
        result[family] = {"n": len(members), "right": counts[best], "strategy": best}
    return _with_total(result)


def learned(splits: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float | str]]:
    """Return, by family and overall, the share of test300 that is got right after learning on the others."""
    test, known = splits["test300"], Material([*splits["dev100"], *splits["fresh300"]])
    rehearsal, table = right(known.items, known), right(test, known)
    result: dict[str, dict[str, float | str]] = {}
    for family, counts in table.items():
        best = max(STRATEGIES, key=lambda name: rehearsal[family][name])
        n = sum(item.family == family for item in test)
        result[family] = {"n": n, "right": counts[best], "strategy": best}
    return _with_total(result)


def claims() -> dict[str, dict[str, float | str]]:
    """Return, by family and overall, the share of claims whose verdict naive Bayes reads off their words."""
    items = [_item(claim.id, claim.text, claim.answer) for claim in load_claims()]
    table = Counter[str]()
    # In five parts: leaving out one claim at a time would tell its verdict, as there are equally many.
    for part in range(_PARTS):
        material = Material([item for index, item in enumerate(items) if index % _PARTS != part])
        for item in items[part::_PARTS]:
            table[item.family] += bayes(item, material) == item.answer
    sizes = Counter(item.family for item in items)
    result: dict[str, dict[str, float | str]] = {
        family: {"n": n, "right": table[family], "strategy": "naive Bayes"} for family, n in sizes.items()
    }
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
    results = {"learned": learned(items), "hindsight": hindsight(items), "claims": claims()}
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
