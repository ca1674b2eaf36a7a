"""The model that acted in a run, made again as its manifest has it."""

from collections.abc import Mapping
from typing import Any

from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Model
from judged_useless.runs.checking import check_fields
from judged_useless.runs.entries import Kind
from judged_useless.runs.recorded import Run
from judged_useless.runs.store import MANIFEST, RunError

# What a manifest has to say of a model for it to be made again.
_OF_ANY_MODEL: dict[str, Kind] = {"spec.model.provider": str}
_OF_A_SCRIPTED_AGENT: dict[str, Kind] = {
    "spec.model.policy": str, "spec.model.seed": int, "spec.model.rates": dict,
}  # fmt: skip
_OF_A_LANGUAGE_MODEL: dict[str, Kind] = {
    "spec.model.model": str, "spec.model.preset": str | None, "spec.model.decoding": dict,
}  # fmt: skip


def name_of_model(run: Run) -> str:
    """Return ``provider:name`` of the model of a run.

    Parameters
    ----------
    run : Run
        Its manifest names the model.

    Returns
    -------
    str

    Raises
    ------
    RunError
        If the manifest does not say from which provider it was.
    """
    check_fields(run.path / MANIFEST, run.manifest, _OF_ANY_MODEL)
    recorded = run.manifest["spec"]["model"]
    # The name of a scripted agent has its provider in it already.
    return f"{recorded['provider']}:{recorded['name'].removeprefix(recorded['provider'] + ':')}"


def model_of_run(run: Run, options: Mapping[str, Any]) -> Model:
    """Make the model of a run again, with its decoding.

    Parameters
    ----------
    run : Run
        Its manifest names the model.
    options : mapping
        Passed on to the provider; these win.

    Returns
    -------
    Model

    Raises
    ------
    RunError
        If the manifest does not say what the model was; the message names the field.
    """
    file, recorded = run.path / MANIFEST, run.manifest["spec"]["model"]
    check_fields(file, run.manifest, _OF_ANY_MODEL)
    scripted = recorded["provider"] == "scripted"
    check_fields(file, run.manifest, _OF_A_SCRIPTED_AGENT if scripted else _OF_A_LANGUAGE_MODEL)
    if scripted:
        known = {"seed": recorded["seed"], **recorded["rates"]}
        return get_model(f"scripted:{recorded['policy']}", **{**known, **options})
    try:
        decoding = Decoding(**recorded["decoding"])
    except (TypeError, ValueError) as error:
        raise RunError(f"{file}: spec.model.decoding: {error}") from error
    known = {"served_name": recorded["model"], **recorded.get("options", {})}
    if recorded["preset"] is None:
        known["decoding"] = decoding
    else:
        # By its parts, so that the model is described as the paper's again.
        known |= {"context": decoding.context, "seed": decoding.seed}
        if decoding.thinking:
            known["thinking"] = True
    return get_model(f"{recorded['provider']}:{recorded['name']}", **{**known, **options})
