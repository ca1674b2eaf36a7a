"""A key is seen by the server and by nobody else."""

import json
import logging
import traceback

import pytest
from faulty_server import FAULTS, FaultyServer, body
from http_models import MESSAGES, PROVIDERS, make, served
from judged_useless.models.base import ModelError

KEY = "secret-key-in-test"
PASSWORD = "hunter2hunter2"
pytestmark = pytest.mark.parametrize("provider", PROVIDERS)


def everything(error: BaseException) -> str:
    """Return whatever a traceback, a log or a record of the error could show, its whole chain included."""
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(error.args) + str(vars(error))
    chain = [error.__cause__, error.__context__]
    return shown + "".join(everything(link) for link in chain if link is not None)


@pytest.mark.parametrize("fault", ["ok", "unauthorized", "500", "malformed", "rate_limit", "reset"])
async def test_a_key_is_in_no_error_log_description_or_repr(
    provider: str, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen = ""
    with caplog.at_level(logging.DEBUG):
        async with served(provider, fault, api_key=KEY) as (server, model):
            try:
                await model.generate(MESSAGES)
            except ModelError as error:
                seen = everything(error)
    assert KEY in str(server.requests[0].headers)
    seen += repr(model) + json.dumps(model.describe())
    assert KEY not in seen
    assert KEY not in caplog.text


@pytest.mark.parametrize("where", ["reason", "text", "refusal"])
async def test_a_password_that_a_server_repeats_is_nowhere(provider: str, where: str) -> None:
    said = f"user:{PASSWORD} and {PASSWORD} " + "x" * 5_000_000 * (where != "text")
    FAULTS["repeats"] = body(**{where: said} if where != "refusal" else {"choices": [_refusal(said)]})
    async with FaultyServer("repeats") as server:
        model = make(provider, server.url.replace("http://", f"http://user:{PASSWORD}@"))
        try:
            shown = repr(await model.generate(MESSAGES))
        except ModelError as error:
            shown = everything(error)
        await model.aclose()
    assert PASSWORD not in shown
    assert len(shown) < 20_000


def _refusal(said: str) -> dict[str, object]:
    return {"index": 0, "finish_reason": "stop", "message": {"content": None, "refusal": said}}


async def test_a_password_in_the_url_reaches_the_server_as_a_header_only(
    provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with FaultyServer("ok") as server:
            model = make(provider, server.url.replace("http://", f"http://user:{PASSWORD}@"))
            await model.generate(MESSAGES)
            await model.aclose()
    assert server.requests[0].headers["authorization"] == "Basic dXNlcjpodW50ZXIyaHVudGVyMg=="
    shown = repr(model) + json.dumps(model.describe()) + caplog.text
    assert PASSWORD not in shown
    assert "dXNlcjpodW50" not in shown
