"""Δ, hands on: what the page computes is what the library computes, worked by mouse and keyboard."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from judged_useless import decision_points, time_matched_contrast
from judged_useless.estimators.contrast import design_label_contrast
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.hazard import integration_index
from judged_useless.stopping.simulate import Hazard, World, rising_with_run, rising_with_time, simulate

pytestmark = pytest.mark.browser

MEASURES = {"delta": time_matched_contrast, "index": integration_index, "design": design_label_contrast}
#: Policy of the page -> the library's, from the page's parameter.
POLICIES: dict[str, Callable[[float], str | Hazard]] = {
    "never": lambda _: "never stops",
    "deadline": lambda _: "answers at the deadline",
    "clock": lambda action: lambda now: np.full(len(now.run), now.t + 1 >= action),
    "time": rising_with_time,
    "own": lambda k: lambda now: now.run >= k,
    "rising": rising_with_run,
    "design": lambda k: lambda now: now.failed_run >= k,
}
#: Goes to an address within the page and returns the numbers behind the drawing.
FOLLOWED = """async (hash) => {
  location.hash = hash;
  await new Promise((done) => addEventListener("hashchange", done, { once: true }));
  return document.getElementById("ju-hands-on").result;
}"""


@pytest.fixture
def hands_on(page: Any, book: Path) -> Any:
    page.goto((book / "book/hands_on.html").as_uri())
    page.locator("#ju-hands-on form").wait_for()
    return page


def shown(page: Any, measure: str) -> str:
    return str(page.locator(f"[data-ju-measure={measure}] output").inner_text())


@pytest.mark.parametrize(
    "given",
    [
        "policy=never",
        "policy=deadline&real=0.2",
        "policy=clock&parameter=6&seed=3",
        "policy=clock&parameter=4",
        "policy=clock&parameter=3",
        "policy=time&parameter=0.06&failed=0.8",
        "policy=own&parameter=5",
        "policy=own&parameter=3&failed=0.6&real=0.3&ends=0.7&seed=9",
        "policy=own&parameter=3&failed=1&real=1",
        "policy=rising&parameter=0.12&seed=1",
        "policy=design&parameter=5&failed=0.5",
    ],
)
def test_the_page_computes_what_the_library_computes(hands_on: Any, given: str) -> None:
    result = hands_on.evaluate(FOLLOWED, given)
    asked = {"failed": "0.99", "real": "0.45", "ends": "0.3", "seed": "0"} | dict(parse_qsl(given))
    failed, real, ends = (float(asked[name]) for name in ("failed", "real", "ends"))
    policy = POLICIES[asked["policy"]](float(asked.get("parameter", 0)))
    episodes = simulate(policy, seed=int(asked["seed"]), world=World(failed, real, ends))
    for name, estimator in MEASURES.items():
        if reason := result[name]["reason"]:
            with pytest.raises(UndefinedEstimateError, match=re.escape(f"is undefined: {reason}")):
                estimator(episodes, n_boot=2)
            assert shown(hands_on, name) == f"undefined: {reason}"
        else:
            value = estimator(episodes, n_boot=2).value
            assert result[name]["value"] == pytest.approx(value, abs=1e-12)
            assert shown(hands_on, name) == f"{value:.3f}".replace("-0.000", "0.000").replace("-", "−")
    points = decision_points(episodes)
    for step in result["steps"]:
        at = points[points["t"] == step["t"]]
        groups = (at[at["run"] == at["t"]], at[at["run"].between(1, at["t"] - 2)])
        assert [step["a"], step["b"]] == [[len(group), group["answered"].sum()] for group in groups]


def test_what_the_page_says_of_its_examples_is_so(hands_on: Any) -> None:
    found = {}
    for link in hands_on.locator("a[href^='#policy=']").all():
        link.click()
        hands_on.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        found[link.inner_text()] = {name: shown(hands_on, name) for name in MEASURES}
    five, clock = found["Counting to five"], found["a clock at action six"]
    assert abs(float(five["index"]) - float(clock["index"])) < 0.1 < 0.3 < float(five["delta"])
    assert clock["delta"] == found["A clock at action four"]["delta"] == "0.000"
    assert found["A clock at action four"]["index"].startswith("undefined")
    assert found["at three"]["delta"].startswith("undefined")
    assert abs(float(found["Counting to seven"]["delta"].replace("−", "-"))) < 0.01
    assert "(b)" in found["An agent that calls everything useless"]["delta"]


def test_it_is_worked_by_keyboard_and_says_in_words_what_it_draws(hands_on: Any, book: Path) -> None:
    assert (book / "_static/hands_on.js").stat().st_size < 25_000
    before = shown(hands_on, "delta")
    hands_on.locator("input[name=failed]").focus()
    for _ in range(20):
        hands_on.keyboard.press("ArrowLeft")
    assert hands_on.locator("input[name=failed]").input_value() == "0.79"
    assert shown(hands_on, "delta") != before
    told = hands_on.locator("#ju-hands-on [role=status]", has_text=shown(hands_on, "delta"))
    told.wait_for(state="attached")
    assert "after 5 results (a)" in told.text_content()
    hands_on.locator("select[name=policy]").focus()
    hands_on.keyboard.press("Home")
    assert hands_on.locator("input[name=parameter]").is_hidden()
    hands_on.locator("button[type=reset]").click()
    hands_on.locator("[data-ju-measure=delta] output", has_text=before).wait_for()
