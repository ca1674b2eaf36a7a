"""The rule in front of any agent: a hook for LiteLLM's proxy, in ``watch`` or ``enforce`` mode.

In the proxy's configuration::

    litellm_settings:
      callbacks: judged_useless.harness.litellm_proxy.hook
    callback_settings:
      judged_useless: {mode: watch, log: episodes.jsonl, k: 5, signals: [side_channel]}

``watch`` only records: after each reply one line of JSON, from which ``judged-useless audit`` takes the last
of each conversation. ``enforce`` takes the tools away, too, once the rule fires. Neither keys nor texts are
written.
"""

import hashlib
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import litellm
from litellm._logging import verbose_proxy_logger
from litellm.integrations.custom_logger import CustomLogger
from pydantic import BaseModel, ConfigDict

from judged_useless.harness.last_answer import answer_only
from judged_useless.harness.message_rule import Backstop, Decision, Rule, bounded
from judged_useless.harness.tool_messages import has_part, read_conversation, turn_of

#: Marks the calls that ask for a judgment, which are no turns of an agent.
_OURS = "judged_useless_judgment"


class Settings(BaseModel):
    """What ``callback_settings: judged_useless:`` may hold; see `Rule` for k, signals and answer_tool.

    ``judge_model`` is the configured model that the signal ``judge`` asks (that of the request otherwise),
    ``judgment_tokens`` the most new tokens of a reply, more for a model that thinks first.
    """

    model_config = ConfigDict(extra="forbid")

    mode: Literal["watch", "enforce"] = "watch"
    log: Path = Path("episodes.jsonl")
    k: int = 5
    signals: tuple[str, ...] = ("side_channel",)
    answer_tool: str | None = None
    judge_model: str | None = None
    judgment_tokens: int = 8
    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None


class RuleHook(CustomLogger):  # type: ignore[misc, unused-ignore]
    """Counts useless results from each request's own messages; any number of conversations at once."""

    def __init__(self) -> None:
        super().__init__()
        self._decided: dict[str, Decision] = {}

    @cached_property
    def settings(self) -> Settings:
        """What the proxy's configuration says, read when the first request comes."""
        return Settings(**litellm.callback_settings.get("judged_useless", {}))

    @cached_property
    def rule(self) -> Rule:
        """The rule, which remembers replies to what it asked, and nothing else."""
        given = self.settings
        limits = Backstop(given.max_calls, given.max_tokens, given.max_seconds)
        return Rule(given.k, given.signals, limits, given.answer_tool)

    async def async_pre_call_hook(
        self,
        user_api_key_dict: Any,  # noqa: ANN401 - the proxy's
        cache: Any,  # noqa: ANN401
        data: dict[str, Any],
        call_type: str,
    ) -> dict[str, Any]:
        """Take the tools away from a request once the rule has fired."""
        if self.settings.mode == "enforce" and _OURS not in _metadata(data) and _messages(data):
            decision = await self._decide(data)
            bounded(self._decided)[str(data.get("litellm_call_id"))] = decision
            if decision.stop:
                return answer_only(data, answer_tool=self.settings.answer_tool)
        return data

    async def async_log_success_event(
        self,
        kwargs: dict[str, Any],
        response_obj: Any,  # noqa: ANN401 - the reply, whole also where it was streamed
        start_time: object,
        end_time: object,
    ) -> None:
        """Record the conversation as it is after this reply."""
        messages = _messages(kwargs)
        if _OURS in _metadata(kwargs.get("litellm_params") or {}) or not messages:
            return
        turn, read = turn_of(response_obj), read_conversation(messages, answer_tool=self.settings.answer_tool)
        asked = [tool for tool, _ in turn.calls.values() if tool != self.settings.answer_tool]
        if asked and not read.steps:
            return  # nothing is decided before the first result
        # What an enforced request says after its last result is not what the agent sent.
        decision = self._decided.pop(str(kwargs.get("litellm_call_id")), None) or await self._decide(kwargs)
        record = {
            "conversation": decision.conversation[:16] or uuid4().hex[:16],
            "question_id": hashlib.sha256(read.question.encode("utf-8", "replace")).hexdigest()[:16],
            "model": str(kwargs.get("model")),
            "condition": "enforced_rule" if self.settings.mode == "enforce" else "watch",
            "actions": ["search"] * len(read.steps) + ["search" if asked else "finish"],
            "judgments": list(decision.judgments),
            "stopped_by": decision.by if self.settings.mode == "enforce" else None,
        }
        line = json.dumps(record) + "\n"
        handle = os.open(self.settings.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    async def _decide(self, data: dict[str, Any]) -> Decision:
        async def ask(messages: list[Any]) -> str:
            return await self._reply(data, messages)

        return await self.rule.after_results_async(_messages(data), ask)

    async def _reply(self, data: dict[str, Any], messages: list[Any]) -> str:
        """Ask for a judgment through the proxy's own models; what fails is no judgment, and no error."""
        from litellm.proxy.proxy_server import llm_router

        own, given = len(messages) > 1, data | (data.get("optional_params") or {})
        request: dict[str, Any] = {
            "model": data["model"] if own else self.settings.judge_model or data["model"],
            "num_retries": 0,
            "metadata": {_OURS: True},
            "litellm_metadata": {_OURS: True},
        }
        if own:
            request |= {name: given[name] for name in ("tools", "system", "instructions") if given.get(name)}
        anthropic = own and any(has_part(each, "tool_result") for each in messages)
        if given.get("tools") and own:
            request["tool_choice"] = {"type": "none"} if anthropic else "none"
        try:
            if own and "input" in data and "messages" not in data:
                tokens = max(16, self.settings.judgment_tokens)  # the least that the protocol takes
                reply = await llm_router.aresponses(input=messages, max_output_tokens=tokens, **request)
            else:
                call = llm_router.aanthropic_messages if anthropic else llm_router.acompletion
                reply = await call(messages=messages, max_tokens=self.settings.judgment_tokens, **request)
            return turn_of(reply).thought
        except Exception as error:  # noqa: BLE001 - whatever a provider raises: the agent's request goes on
            verbose_proxy_logger.warning("judgment not given: %s", type(error).__name__)
            return ""


def _messages(data: dict[str, Any]) -> list[Any]:
    given = data.get("messages") or data.get("input") or []
    return given if isinstance(given, list) else []


def _metadata(data: dict[str, Any]) -> dict[str, Any]:
    return {**(data.get("metadata") or {}), **(data.get("litellm_metadata") or {})}


hook = RuleHook()
