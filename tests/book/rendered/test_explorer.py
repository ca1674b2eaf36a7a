"""Every episode: shown as recorded, found by mouse and keyboard, and never markup."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from judged_useless import answer_rate_after_run, load_episodes, run_cell
from judged_useless.episodes.schema import KEY
from paper_book import generated
from paper_book.figures import episode_explorer
from paper_book.figures.episode_explorer import ACTIONS, FAILED, JUDGED, explorer_data

pytestmark = pytest.mark.browser

PAGE = "book/explorer.html"
ROW = ".ju-row[aria-selected=true]"
HOSTILE = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"
    "<a href='javascript:window.hit = 1'>here</a> \x1b[31mred\x1b[0m \u202eturned\u202c \u2028 </script>"
)
SHOWN = HOSTILE.replace("\x1b", "␛").replace("\u202e", "<U+202E>").replace("\u202c", "<U+202C>")


def visit(page: Any, file: Path, **address: str) -> None:
    page.goto("about:blank")  # or a change of the address alone would load nothing
    page.goto(f"{file.as_uri()}#{urlencode(address)}")
    page.locator("#ju-explorer .ju-detail h2").wait_for()


def status(page: Any) -> str:
    return str(page.locator("#ju-explorer [role=status]").inner_text())


def found(page: Any) -> int:
    number = re.match(r"[\d,]+", status(page))
    assert number
    return int(number[0].replace(",", ""))


def choose(page: Any, **filters: str) -> None:
    for name, value in filters.items():
        page.locator(f"#ju-explorer select[name={name}]").select_option(value)


def test_the_letters_say_what_the_episodes_say() -> None:
    data, episodes = explorer_data("embedded"), load_episodes().fillna({"termination": ""})
    actions, judged = ({letter: word for word, letter in each.items()} for each in (ACTIONS, JUDGED))
    cells, questions, regimes, patterns = data["rows"]
    assert len(cells) > len(episodes) == 3000
    for i, row in enumerate(episodes.to_dict("records")):
        letters, judgments, failed, right, ended = data["patterns"][patterns[i]]
        labels = (*data["cells"][cells[i]], data["questions"][questions[i]], data["regimes"][regimes[i]])
        assert labels == tuple(row[name] for name in KEY)
        assert [actions[letter] for letter in letters] == list(row["actions"])
        assert [judged.get(letter) for letter in judgments][: len(row["judgments"])] == list(row["judgments"])
        assert (bool(right), ended) == (row["success"], row["termination"])
        if row["regime"] == "recover_after_2":
            assert failed == (2 * FAILED[True] + 6 * FAILED[False])[: len(judgments)]


def test_what_there_is_no_room_for_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explorer_data("embedded")
    assert whole["written"]
    assert whole["without_words"] == whole["left_out"] == 0
    monkeypatch.setattr(episode_explorer, "WORDS", 20_000)
    less = explorer_data("embedded")
    assert len(less["written"]) + less["without_words"] == len(whole["written"])
    assert sum(map(len, less["texts"])) <= 20_000
    monkeypatch.setattr(episode_explorer, "EPISODES", 100)
    assert explorer_data("embedded")["left_out"] == len(whole["rows"][0]) - 100


def test_filters_and_order_find_what_the_library_counts(page: Any, book: Path) -> None:
    assert (book / PAGE).stat().st_size < 3_000_000
    visit(page, book / PAGE)
    loaded = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    assert 0 < page.evaluate(loaded) < 2000
    assert page.locator(".ju-row").count() < 60  # only the rows in sight
    episodes = load_episodes()
    assert found(page) > len(episodes)
    choose(page, model="qwen3-8b", condition="unaided", regime="persistent")
    alone = episodes[(episodes["condition"] == "unaided") & (episodes["regime"] == "persistent")]
    rate = answer_rate_after_run(alone)
    assert found(page) == len(alone)
    assert f"{rate['answers']} of {rate.n} answered." in status(page)
    choose(page, outcome="answered right")
    right = alone[alone["success"] & (alone["termination"] == "answered")]
    assert found(page) == len(right)
    page.locator("#ju-explorer button[type=reset]").click()
    page.locator("#ju-explorer [role=status]", has_text="Choose one model").wait_for()
    choose(page, model="qwen3-8b", sort="stop step, early first")
    tiles = [row.locator(".ju-tile").count() for row in page.locator(".ju-row").all()]
    assert tiles == sorted(tiles)
    assert tiles[0] == episodes["actions"].map(len).min()
    page.locator("input[name=find]").fill(alone["question_id"].iloc[7])
    assert found(page) == 10  # two conditions, five regimes


def test_it_is_worked_by_keyboard_and_its_addresses_lead_back(page: Any, book: Path) -> None:
    visit(page, book / PAGE)
    choose(page, model="qwen3-8b", condition="unaided")
    page.locator(".ju-list").focus()
    for key in ("End", "Home", "PageDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        active = page.locator(".ju-list").get_attribute("aria-activedescendant")
        assert page.locator(ROW).get_attribute("id") == active
    words = page.locator(ROW).get_attribute("aria-label")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "ju-detail"
    heading, strips = page.locator(".ju-detail h2").inner_text(), page.locator(".ju-column .ju-tiles")
    assert heading.removeprefix("Question ") in words
    assert strips.count() == 2  # beside itself under another condition
    assert "enforced rule" in page.locator(".ju-column h3").nth(1).inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "listbox"
    page.wait_for_timeout(300)  # the address follows a moment later
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.locator(ROW).wait_for()
    assert page.locator(ROW).get_attribute("aria-label") == words
    assert page.locator("select[name=condition]").input_value() == "unaided"
    for link in page.locator("#where-to-look a[href^='#only-']").all():
        link.click()
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        assert found(page) > 0
    page.locator("#where-to-look a[href^='#only-']").first.click()
    page.locator("#ju-explorer [role=status]", has_text=re.compile("^1 of ")).wait_for()


def test_the_transcript_unfolds_with_the_fifth_useless_result_marked(page: Any, book: Path) -> None:
    visit(page, book / PAGE, **{"only-model": "SmolLM2-135M-Instruct", "only-five": "never answered"})
    page.locator(".ju-row").first.click()
    unfold = page.locator("[data-ju-unfold]").first
    step = page.locator(".ju-column").first.locator(".ju-steps > li", has=page.locator(".ju-mark"))
    assert "5 in a row" in step.inner_text()
    assert not step.locator(".ju-said").first.is_visible()
    unfold.focus()
    page.keyboard.press("Enter")
    assert step.locator(".ju-said").first.is_visible()


@pytest.fixture(scope="module")
def hostile(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a run and a file whose every text tries to be more than text."""
    folder = tmp_path_factory.mktemp("hostile")
    run = {"model": "scripted:never", "task": "atlas", "n_questions": 2, "regimes": ["persistent"]}
    with ThreadPoolExecutor() as pool:  # the browser has a loop of its own in this thread
        cell = run_cell(**run, out=folder / "run", progress=False)  # type: ignore[arg-type]
        pool.submit(asyncio.run, cell).result()
    file = folder / "run/persistent.jsonl"
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for record in records:
        for message in record["messages"]:
            message["content"] = re.sub(r"(Thought: |Observation: )", rf"\1{HOSTILE} ", message["content"])
    file.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    row = dict.fromkeys(KEY, HOSTILE) | {"actions": ["search", "finish"], "judgments": ["USELESS"]}
    (folder / "rows.jsonl").write_text(json.dumps(row | {"success": False}) + "\n", "utf-8")
    data = explorer_data([str(folder / "run"), str(folder / "rows.jsonl")])
    element = generated._data("ju-explorer-data", data).split("\n")[1]
    assert "<" not in element.removeprefix("<script").removesuffix("</script>")
    built = (book / PAGE).read_text("utf-8")
    made, n = re.subn(r'<script type="application/json".*?</script>', lambda _: element, built, flags=re.S)
    assert n == 1
    for each in ("_static", "searchindex.js"):
        (folder / each).symlink_to(book / each)
    (folder / "book").mkdir()
    (folder / "book/page.html").write_text(made, "utf-8")
    return folder / "book/page.html"


def test_texts_of_models_and_data_are_shown_and_never_run(page: Any, hostile: Path) -> None:
    visit(page, hostile)
    assert found(page) == 3
    page.locator("[data-ju-unfold]").first.click()
    said = page.locator(".ju-column").first.locator(".ju-said").all_text_contents()
    assert sum(SHOWN.strip() in each for each in said) >= 8
    choose(page, model=SHOWN, condition=SHOWN, regime=SHOWN)
    assert found(page) == 1
    assert SHOWN.replace("_", " ") in page.locator(".ju-column h3").first.text_content()
    assert page.locator(".ju-detail h2").text_content() == f"Question {SHOWN}"
    inside = page.locator("#ju-explorer").evaluate(
        "(box) => box.querySelectorAll('script, img, a, [onerror], [href]').length"
    )
    assert inside == 0
    assert page.evaluate("window.hit") is None
    assert page.locator(".ju-row").first.get_attribute("aria-label").startswith(SHOWN)
    page.wait_for_timeout(300)  # the address follows a moment later
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.locator(".ju-detail h2").wait_for()
    assert found(page) == 1
