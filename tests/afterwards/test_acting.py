"""The model of a run is made again from its manifest, or the field that does not say it is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judged_useless.afterwards.replaying import model_of_run, name_of_model, replay
from judged_useless.models import get_model
from judged_useless.runs.cell import run_cell
from judged_useless.runs.cell_spec import lasting_description
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")

Damage = Callable[[dict[str, Any]], object]


async def recorded(out: Path) -> Run:
    return await run_cell(
        model="scripted:own-4", task="hamlets", split="all", regimes=("clean",), n_questions=1, mute=0.25,
        judge=False, out=out / "run", progress=False,
    )  # fmt: skip


def with_model(run: Run, model: dict[str, Any]) -> Run:
    file = run.path / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["spec"]["model"] = model
    file.write_text(json.dumps(manifest))
    return Run(run.path)


async def test_a_scripted_agent_is_made_again(tmp_path: Path) -> None:
    run = await recorded(tmp_path)
    assert name_of_model(run) == "scripted:own-4"
    assert model_of_run(run, {}).describe() == run.manifest["spec"]["model"]


@pytest.mark.parametrize("field", ["seed", "rates"])
async def test_a_manifest_that_does_not_say_it_is_refused(field: str, tmp_path: Path) -> None:
    run = await recorded(tmp_path)
    model = dict(run.manifest["spec"]["model"])
    del model[field]
    with pytest.raises(RunError, match=rf"run.manifest\.json: spec\.model\.{field} is missing"):
        await replay(with_model(run, model), "judgments", progress=False)
    assert not (tmp_path / "run.probes").exists()


SERVED: dict[str, tuple[Damage, str]] = {
    "no decoding": (lambda model: model.pop("decoding"), r"spec\.model\.decoding is missing"),
    "no preset": (lambda model: model.pop("preset"), r"spec\.model\.preset is missing"),
    "a decoding that is none": (
        lambda model: model["decoding"].update(heat=1),
        "spec.model.decoding.heat is 1",
    ),
    "a temperature of text": (
        lambda model: model["decoding"].update(temperature="hot"),
        "spec.model.decoding.temp.* is 'hot'",
    ),
    "a temperature below zero": (
        lambda model: model["decoding"].update(temperature=-1),
        "spec.model.decoding.temperature.* is -1, expected",
    ),
}


async def test_a_language_model_is_made_again_or_its_field_named(tmp_path: Path) -> None:
    run = await recorded(tmp_path)
    served = get_model("openai:qwen2.5-7b", base_url="http://127.0.0.1:9/v1")
    described, kept = served.describe(), lasting_description(served)
    again = model_of_run(with_model(run, kept), {"base_url": "http://127.0.0.1:9/v1"})
    assert again.describe() == described
    await again.aclose()
    for damage, message in SERVED.values():
        model = json.loads(json.dumps(kept))
        damage(model)
        with pytest.raises(RunError, match=rf"run.manifest\.json: {message}"):
            model_of_run(with_model(run, model), {})
