"""What a server needs can be said on the command line."""

import argparse

import pytest
from judged_useless.cli.options import add_model_arguments, model_options
from judged_useless.models.retry import Retries


def parsed(*arguments: str) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    add_model_arguments(parser)
    return model_options(parser.parse_args(arguments), "openai:m")


def test_fields_words_time_and_attempts_reach_the_model() -> None:
    given = parsed(
        "--field", "max_tokens=max_completion_tokens", "--field", "stop=", "--end-word", "done=stop",
        "--attempts", "2", "--timeout", "20", "--reasoning", "text",
        "--extra-body", '{"reasoning_effort": "none"}',
    )  # fmt: skip
    assert given == {
        "fields": {"max_tokens": "max_completion_tokens", "stop": None},
        "end_words": {"done": "stop"},
        "retries": Retries(attempts=2),
        "timeout": 20.0,
        "reasoning": "text",
        "extra_body": {"reasoning_effort": "none"},
    }
    assert parsed() == {}


@pytest.mark.parametrize(
    "option",
    [("--field", "stop"), ("--extra-body", "{"), ("--extra-body", "[1]"), ("--reasoning", "maybe"),
     ("--attempts", "0"), ("--context", "-1")],
)  # fmt: skip
def test_what_is_no_option_is_refused(option: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(*option)
    assert option[0] in capsys.readouterr().err
