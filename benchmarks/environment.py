"""Environment steps per second on one core, by kind of query: ``python benchmarks/environment.py [FILE]``.

Questions have ten paragraphs; they are made up from a seed, or read from FILE (HotpotQA in either form). A
search costs what ``difflib`` costs on ten titles, unless it names one; no result is cached. A request to a
model takes a client several milliseconds of CPU time, so that the search is a few per cent of a run.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.tasks.question import Paragraph, Question, SupportingFact
from judged_useless.tasks.question_files import read_questions

_SYLLABLES = ["an", "bel", "cor", "dra", "el", "fen", "gor", "hal", "is", "ka", "lo", "mir", "na", "or", "ta"]


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4)))


def _sentence(rng: random.Random, vocabulary: Sequence[str]) -> str:
    return f"{' '.join(rng.choices(vocabulary, k=rng.randint(10, 30)))}."


def _made_up(number: int, rng: random.Random, vocabulary: Sequence[str]) -> Question:
    pages = tuple(
        Paragraph(
            f"{' '.join(_word(rng).capitalize() for _ in range(rng.randint(1, 4)))} {page}",
            tuple(_sentence(rng, vocabulary) for _ in range(rng.randint(3, 6))),
        )
        for page in range(10)
    )
    facts = (SupportingFact(pages[0].title, 0), SupportingFact(pages[5].title, 1))
    return Question(f"q{number}", _sentence(rng, vocabulary), "answer", pages, facts)


def _misspelt(rng: random.Random, question: Question) -> str:
    letters = list(rng.choice(question.paragraphs).title)
    for _ in range(2):
        letters[rng.randrange(len(letters))] = rng.choice("abcdefghij")
    return "".join(letters)


#: Kind of query -> how one is drawn.
QUERIES: dict[str, Callable[[random.Random, Question], str]] = {
    "exact title": lambda rng, question: rng.choice(question.paragraphs).title,
    "misspelt title": _misspelt,
    "4 words of a page": lambda rng, question: " ".join(
        rng.choices(rng.choice(question.paragraphs).text.split(), k=4)
    ),
    "the question": lambda rng, question: f"{question.text[:-1]} {rng.randrange(10**6)}",
}


def _rate(work: list[tuple[Question, list[str]]], regime: str, pool: FailurePool, rounds: int) -> float:
    """Return steps a second, an environment of its own for every eight."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        for question, queries in work:
            environment = Environment(question, regime, pool)
            for query in queries:
                environment.step("search", query)
        seconds.append(time.process_time() - start)
    return sum(len(queries) for _, queries in work) / min(seconds)


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
    print(f"{len(questions)} questions of ten paragraphs; searches a second, one core, CPU time")
    for regime in ("clean", "persistent"):
        for kind, draw in QUERIES.items():
            work = [(question, [draw(rng, question) for _ in range(8)]) for question in questions]
            print(f"{regime:<12}{kind:<20}{_rate(work, regime, pool, arguments.rounds):>10,.0f}")


if __name__ == "__main__":
    main()
