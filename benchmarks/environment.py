"""Environment steps per second on one core, and the ratio to the protocol's search written down plainly.

``python benchmarks/environment.py [FILE]``. Questions have ten paragraphs; they are made up from a seed, or
read from FILE (HotpotQA in either form). Both implementations answer the same queries in the same run, by
turns, and must agree on every one. No result is cached: a repeated query costs what a new one costs. For an
exact title the plain search has nothing to do, so that row shows what a step costs besides the search.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.tasks.question import Paragraph, Question, SupportingFact
from judged_useless.tasks.strict_reading import read_questions
from plain_protocol import plain_observation

_SYLLABLES = ["an", "bel", "cor", "dra", "el", "fen", "gor", "hal", "is", "ka", "lo", "mir", "na", "or", "ta"]


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4)))


def _sentence(rng: random.Random, vocabulary: Sequence[str]) -> str:
    return f"{' '.join(rng.choices(vocabulary, k=rng.randint(10, 30)))}."


def _made_up(number: int, rng: random.Random, vocabulary: Sequence[str]) -> Question:
    paragraphs = []
    for page in range(10):
        title = " ".join(_word(rng).capitalize() for _ in range(rng.randint(1, 4)))
        sentences = tuple(_sentence(rng, vocabulary) for _ in range(rng.randint(3, 6)))
        paragraphs.append(Paragraph(f"{title} {page}", sentences))
    facts = (SupportingFact(paragraphs[0].title, 0), SupportingFact(paragraphs[5].title, 1))
    return Question(f"q{number}", _sentence(rng, vocabulary), "answer", tuple(paragraphs), facts)


def _misspelt(rng: random.Random, question: Question) -> str:
    letters = list(rng.choice(question.paragraphs).title)
    for _ in range(2):
        letters[rng.randrange(len(letters))] = rng.choice("abcdefghij")
    return "".join(letters)


def _words(rng: random.Random, question: Question, n: int) -> str:
    return " ".join(rng.choices(rng.choice(question.paragraphs).text.split(), k=n))


#: Kind of query -> how one is drawn.
QUERIES: dict[str, Callable[[random.Random, Question], str]] = {
    "exact title": lambda rng, question: rng.choice(question.paragraphs).title,
    "misspelt title": _misspelt,
    "3 words of a page": lambda rng, question: _words(rng, question, 3),
    "6 words of a page": lambda rng, question: _words(rng, question, 6),
    "the question": lambda rng, question: f"{question.text[:-1]} {rng.randrange(10**6)}",
}

Work = list[tuple[Question, str]]


def _distinct(kind: str, questions: Sequence[Question], n_each: int, rng: random.Random) -> Work:
    """Draw queries, no two alike for one question, except exact titles, of which there are ten."""
    work: Work = []
    for question in questions:
        drawn = {QUERIES[kind](rng, question) for _ in range(2 * n_each)}
        work += [(question, query) for query in sorted(drawn)[:n_each]]
    rng.shuffle(work)
    return work


def _episodes(work: Work, n_steps: int = 8) -> list[Work]:
    """Cut the work into episodes of one question each."""
    by_question: dict[str, Work] = {}
    for question, query in work:
        by_question.setdefault(question.id, []).append((question, query))
    return [
        of_one[at : at + n_steps] for of_one in by_question.values() for at in range(0, len(of_one), n_steps)
    ]


def _observe(work: Work, environments: dict[str, Environment]) -> list[str]:
    steps = [environments[question.id].step("search", query) for question, query in work]
    return [step.text for step in steps if step is not None]


def _measure(work: Work, regime: str, pool: FailurePool, rounds: int) -> tuple[float, float]:
    """Return steps a second of the environment, already set up, and of the plain search."""
    seconds, plain_seconds = [], []
    for _ in range(rounds):
        environments = {q.id: Environment(q, regime, pool, budget=None) for q, _ in work}
        start = time.process_time()
        texts = _observe(work, environments)
        middle = time.process_time()
        plain = [plain_observation(question.knowledge_base, query) for question, query in work]
        seconds.append(middle - start)
        plain_seconds.append(time.process_time() - middle)
        if regime == "clean" and texts != plain:
            raise AssertionError("the environment and the plain protocol disagree")
    return len(work) / min(seconds), len(work) / min(plain_seconds)


def _measure_with_set_up(work: Work, pool: FailurePool, rounds: int) -> float:
    """Return steps a second when every eight steps have an environment of their own, as in a run."""
    episodes, seconds = _episodes(work), []
    for _ in range(rounds):
        start = time.process_time()
        for episode in episodes:
            question = episode[0][0]
            _observe(episode, {question.id: Environment(question, "clean", pool)})
        seconds.append(time.process_time() - start)
    return len(work) / min(seconds)


def _row(name: str, rate: float, plain: float) -> None:
    print(f"{name:<42}{rate:>12,.0f}{plain:>12,.0f}{rate / plain:>9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="questions to search, not made-up ones")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (%(default)s)")
    arguments = parser.parse_args()
    rng = random.Random(0)
    vocabulary = [_word(rng) for _ in range(3000)]
    made_up = [_made_up(number, rng, vocabulary) for number in range(50)]
    questions = read_questions(arguments.file) if arguments.file else made_up
    pool = FailurePool(questions)
    source = arguments.file.name if arguments.file else "made up"
    print(f"{len(questions)} questions of ten paragraphs ({source}); one core, CPU time")
    print(f"{'search, steps a second':<42}{'ours':>12}{'plain':>12}{'ratio':>9}")
    mixed: Work = []
    for kind in QUERIES:
        work = _distinct(kind, questions, 10, rng)
        _row(f"{kind}, clean", *_measure(work, "clean", pool, arguments.rounds))
        mixed += work
    rng.shuffle(mixed)
    rate, plain = _measure(mixed, "clean", pool, arguments.rounds)
    _row("all kinds, no query twice, clean", rate, plain)
    _row(
        "the same, a new environment every 8 steps",
        _measure_with_set_up(mixed, pool, arguments.rounds),
        plain,
    )
    _row("all kinds, no query twice, persistent", *_measure(mixed, "persistent", pool, arguments.rounds))
    repeated = mixed[: len(mixed) // 8] * 8
    _row("all kinds, each query eight times, clean", *_measure(repeated, "clean", pool, arguments.rounds))


if __name__ == "__main__":
    main()
