"""Everything ``make demo`` does: a real language model on this machine's processor, and page 09 on its runs.

Runs in the book's environment and needs neither a GPU nor a key. SmolLM2 with 135 million parameters, from a
package of the index, is served by vLLM in an environment of its own (``.venv-live``, as for ``make
test-live``). The server is stopped however this ends; what has ended stays, and the same command goes on.
"""

import argparse
import asyncio
import logging
import shutil
import subprocess
import sys
import time
from pathlib import Path

from judged_useless.afterwards.replaying import replay
from judged_useless.models import get_model
from judged_useless.models.base import Decoding
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from paper_book import build, generated, sections

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from live import run_live  # noqa: E402

LOG = logging.getLogger("demo")
NAME = "SmolLM2-135M-Instruct"
CONDITIONS = ("unaided", "enforced_rule")
REGIMES = ("clean", "persistent", "recover_after_2")
QUESTIONS = 12
PAGE = "09_run_the_agent"
#: Less random, it writes one turn again and again; more, the words of no language.
DECODING = Decoding(
    temperature=1.0, top_p=0.8, top_k=20, max_new_tokens=256, context=4096, seed_rule="per_prompt", seed=42
)


async def run_condition(condition: str, url: str, out: Path) -> Run:
    """Run a condition, turns held to their form, and ask for every judgment again."""
    model = get_model(
        f"openai:{NAME}", served_name=run_live.SERVED_NAME, base_url=f"{url}/v1", api_key="none",
        decoding=DECODING,
    )  # fmt: skip
    run = await run_cell(
        model=model, condition=condition, task="atlas", regimes=REGIMES, n_questions=QUESTIONS,
        constrain=True, out=out / condition,
    )  # fmt: skip
    await replay(run, "judgments", model=model)
    await model.aclose()
    return run


async def run_conditions(url: str, out: Path) -> list[Run]:
    """Run both conditions at once, which keeps the server busy."""
    return await asyncio.gather(*(run_condition(each, url, out) for each in CONDITIONS))


def build_page(runs: Path, target: Path) -> Path:
    """Build the book from its stored outputs, but page 09 executed on these runs."""
    shutil.rmtree(target / "sections", ignore_errors=True)
    shutil.copytree(sections.NOTEBOOKS, target / "sections", ignore=shutil.ignore_patterns(".*"))
    name = f"{PAGE}.ipynb"
    sections.run_section(sections.NOTEBOOKS / name, target / "sections" / name, {"demo": str(runs)})
    generated.write(target / "generated")
    build.assemble(target / "sections", target / "generated", target / "book")
    run_live.run(
        Path(sys.executable).with_name("jupyter-book"), "build", target / "book", "--path-output", target,
        "--quiet", "--warningiserror", stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return target / "_build" / "html" / "notebooks" / f"{PAGE}.html"


def main() -> int:
    """Run all steps and say where the results are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-live", help="of the server")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "demo", help="folder of the two runs")
    given = parser.parse_args()
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    for logger in (LOG, run_live.LOG):
        logger.setLevel(logging.INFO)
    run_live.stop_on_signals()
    started = time.monotonic()
    with run_live.live_server(given.environment.resolve()) as (_, settings):
        served = time.monotonic()
        runs = asyncio.run(run_conditions(settings["LIVE_URL"], given.out))
    ended = time.monotonic()
    page = build_page(given.out.resolve(), ROOT / "_build" / "demo")
    for run in runs:
        LOG.info("%s: %s episodes of %s, a real model", run.path, run.counts, NAME)
    LOG.info(
        "environment and server %.0f s, runs %.0f s, page %.0f s",
        served - started, ended - served, time.monotonic() - ended,
    )  # fmt: skip
    LOG.info(
        "So small a model cannot answer the questions. What it shows is the loop around a real one: its own\n"
        "words, its judgments, and what the rule does with them. The page is\n%s",
        page,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
