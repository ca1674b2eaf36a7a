"""What in a recorded chat is a step, a result and an answer: a rule each, on messages as Inspect has them."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

from judged_useless.adapters.chat_episodes import ChatEpisode, Tools, answers_by_tool, chat_episodes

USELESS = "The result is not relevant."


def user(text: str) -> Any:
    return SimpleNamespace(role="user", text=text)


def turn(text: str, *tools: str, **arguments: str) -> Any:
    calls = [
        SimpleNamespace(id=f"{tool}-{place}", function=tool, arguments=arguments, parse_error=None)
        for place, tool in enumerate(tools)
    ]
    return SimpleNamespace(role="assistant", text=text, content=text, tool_calls=calls)


def result(call: str, text: str, error: str = "") -> Any:
    failure = SimpleNamespace(message=error) if error else None
    return SimpleNamespace(role="tool", text=text, tool_call_id=call, error=failure)


def read(*messages: Any, one: bool = False, **mapping: str) -> tuple[list[ChatEpisode], Counter[str]]:
    tools, dropped = Tools(mapping), Counter[str]()
    by_tool = answers_by_tool(messages, tools)
    return chat_episodes(messages, tools, dropped, by_tool=by_tool, one=one), +dropped


def actions(episode: ChatEpisode) -> list[str]:
    return list(episode.record()["actions"])


def test_calls_side_by_side_are_one_step_useless_only_if_each_result_is() -> None:
    both = turn("", "search", "search")
    (episode,), _ = read(
        user("Which river is in Norway?"),
        both, result("search-0", "nothing"), result("search-1", "A river in Norway"),
        both, result("search-0", "x"), result("search-1", "y"), turn("Oslo"),
    )  # fmt: skip
    record = episode.record()
    assert record["actions"] == ["search", "search", "finish"]
    assert record["lexical"] == ["USEFUL", "USELESS"]
    assert (record["answer"], episode.question) == ("Oslo", "Which river is in Norway?")
    assert [step.results for step in episode.steps] == [["nothing", "A river in Norway"], ["x", "y"]]


def test_a_tool_error_is_a_result_and_the_same_call_again_a_step_of_its_own() -> None:
    again = [turn(USELESS, "search"), result("search-0", "", "timed out")]
    (episode,), _ = read(user("Q"), *again, *again, turn(USELESS))
    assert [step.results for step in episode.steps] == [["timed out"], ["timed out"]]
    assert episode.record()["stated"] == ["USELESS", "USELESS"]


def test_a_call_that_cannot_be_read_is_invalid() -> None:
    broken = turn("", "search")
    broken.tool_calls[0].parse_error = "no JSON"
    (episode,), _ = read(user("Q"), broken, result("search-0", "", "no JSON"), turn("", "open"), turn("done"))
    assert actions(episode) == ["invalid", "search", "finish"]


def test_an_agent_that_answers_by_a_tool_answers_only_so() -> None:
    (first, second), dropped = read(
        user("Q"), turn("Let me think."), user("Go on."), turn("", "search"), result("search-0", "x"),
        turn(USELESS, "submit", answer="Oslo"), turn("Anything else?"), user("Next"), turn("", "search"),
    )  # fmt: skip
    assert (actions(first), first.last_word) == (["search", "finish"], "Oslo")
    assert first.record()["stated"] == ["USELESS"]
    assert (actions(second), second.question) == (["search"], "Next")
    assert dropped == {"turns after the answer": 1}


def test_without_an_answer_tool_the_last_turn_without_a_call_is_the_answer() -> None:
    (episode,), _ = read(user("Q"), turn("", "search"), result("search-0", "x"), turn("Hm."), turn(USELESS))
    assert (actions(episode), episode.last_word) == (["search", "finish"], USELESS)
    (silent,), _ = read(user("Q"), turn("", "search"), result("search-0", "x"), turn(""))
    assert actions(silent) == ["search"]
    (cut,), _ = read(user("Q"), turn("", "search"))
    assert (actions(cut), cut.record()["stated"]) == (["search"], [])


def test_a_message_of_the_user_begins_an_episode_but_in_a_chat_that_is_one_task() -> None:
    messages = [
        user("Q"),
        turn("", "search"),
        result("search-0", "x"),
        turn("Oslo"),
        user("Wrong."),
        turn("Bergen"),
    ]
    (first, second), _ = read(*messages)
    assert (first.last_word, second.last_word, actions(second)) == ("Oslo", "Bergen", ["finish"])
    (whole,), _ = read(*messages, one=True)
    assert (actions(whole), whole.last_word) == (["search", "finish"], "Bergen")


def test_what_is_no_step_is_counted() -> None:
    searched = turn("", "search")
    searched.content = [SimpleNamespace(type="tool_use"), SimpleNamespace(type="text")]
    _, dropped = read(user("Q"), searched, result("search-0", "x"), result("elsewhere", "y"), turn("Oslo"))
    assert dropped == {
        "calls that the provider ran within a turn, such as web_search_call": 1,
        "results that no call of the chat asked for": 1,
    }


def test_a_tool_that_only_comes_last_is_told() -> None:
    def told(*last: str, **mapping: str) -> tuple[str, ...]:
        tools, dropped, episodes = Tools(mapping), Counter[str](), list[ChatEpisode]()
        for tool in last:
            chat = [user("Q"), turn("", "search"), result("search-0", "x"), turn("", tool)]
            episodes += chat_episodes(chat, tools, dropped, by_tool=False, one=False)
        return tools.only_last(episodes)

    assert told("respond", "respond", "search") == ("respond",)
    assert told("respond", "respond", respond="search") == ()
    assert told("look", "search") == ()


def test_tools_that_are_no_steps_are_left_out() -> None:
    (episode,), _ = read(
        user("Q"), turn("", "todo"), result("todo-0", "ok"), turn("", "todo", "look"), result("look-1", "x"),
        turn("Oslo"), todo="", look="lookup",
    )  # fmt: skip
    assert actions(episode) == ["lookup", "finish"]
    assert episode.steps[0].results == ["x"]
    found, dropped = read(user("nobody answers"), user("Q"), one=True)
    assert (found, dropped.total()) == ([], 1)
