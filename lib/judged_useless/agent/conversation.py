"""The conversation of one episode: a linear history, to which the harness only ever appends."""

from judged_useless.models.base import Message
from judged_useless.protocol.conditions import Condition
from judged_useless.protocol.prompts import Wording, counter


class Conversation:
    """Messages of one episode, with what a condition adds to them (PROTOCOL: "Agent" and "Conditions")."""

    def __init__(
        self, wording: Wording, question: str, condition: Condition, *, two_source: bool, budget: int, k: int
    ) -> None:
        self.wording = wording
        self._count_down = condition.counter
        self._finish_only = False
        instructions = wording.instructions(condition.additions, two_source=two_source, budget=budget, k=k)
        opening = self._counted(wording.opening.replace("{question}", question), budget)
        self.messages: list[Message] = []
        if wording.has_system:
            self.messages.append({"role": "system", "content": instructions})
            self.user(opening)
        else:
            self.user(f"{instructions}\n\n{opening}")
        self._latest = len(self.messages) - 1

    def _counted(self, text: str, remaining: int) -> str:
        return f"{text}\n\n{counter(remaining)}" if self._count_down else text

    def assistant(self, text: str) -> None:
        """Append a turn of the model."""
        self.messages.append({"role": "assistant", "content": text})

    def user(self, text: str) -> None:
        """Append a message of the harness."""
        self.messages.append({"role": "user", "content": text})

    def observe(self, text: str, remaining: int) -> None:
        """Append what a tool returned, with so many actions left after it."""
        self.user(self._counted(self.wording.observation.replace("{text}", text), remaining))
        self._latest = len(self.messages) - 1

    def follow(self, text: str) -> None:
        """Append a paragraph to the latest observation."""
        self._append(self._latest, text)

    def leave_only_finish(self) -> None:
        """Tell the agent that only finish is left: once in the instructions, and after this observation."""
        if self.wording.finish_only and not self._finish_only:
            self._append(0, self.wording.finish_only)
        self._finish_only = True
        self.follow(self.wording.answer_now)

    def _append(self, index: int, text: str) -> None:
        message = self.messages[index]
        # A new message, because copies sent to the model share the old one.
        self.messages[index] = {"role": message["role"], "content": f"{message['content']}\n\n{text}"}
