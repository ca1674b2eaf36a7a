"""Options of the command line that several commands have."""

import argparse
import json
import sys
from typing import Any

#: Passed on to the model's provider where they are given.
_PROVIDERS = ("base_url", "served_name", "context", "timeout", "reasoning", "extra_body", "cost_cap_usd")


def print_error(command: str, error: Exception) -> None:
    """Print an error; what a server or a file says in it may be of any length and hold any character."""
    from judged_useless._io.messages import visible

    print(visible(f"judged-useless {command}: {str(error)[:4000]}"), file=sys.stderr)


def add_running_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where the task is read from, and how many requests are in flight."""
    parser.add_argument("--source", metavar="PATH", help="where the task is read from")
    parser.add_argument("--concurrency", type=positive, metavar="N", help="requests in flight (by provider)")
    parser.add_argument("--quiet", dest="progress", action="store_false", help="no progress bar")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add server, context and costs."""
    parser.add_argument(
        "--base-url", action="append", metavar="URL", help="server; may be repeated to spread the load"
    )
    parser.add_argument("--served-name", metavar="NAME", help="what the server calls the model")
    parser.add_argument(
        "--context", type=positive, metavar="TOKENS", help="context, in place of the preset's"
    )
    add_server_arguments(parser)


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what servers differ in, prices and a cap of costs."""
    server = parser.add_argument_group("what a server may need")
    server.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="in which a request must be answered (600)"
    )
    server.add_argument("--attempts", type=positive, metavar="N", help="requests sent until one succeeds (8)")
    server.add_argument(
        "--field", action="append", type=_pair, metavar="NAME=OTHER",
        help="what the server calls a field of a request; nothing after = leaves it out, as in --field stop=",
    )  # fmt: skip
    server.add_argument(
        "--end-word", action="append", type=_pair, metavar="WORD=stop|length",
        help="what a finish_reason of the server's own means",
    )  # fmt: skip
    server.add_argument(
        "--reasoning", choices=("apart", "text"),
        help="read what is filed under reasoning as the turn where there is no other text (apart)",
    )  # fmt: skip
    server.add_argument("--extra-body", type=_object, metavar="JSON", help="further fields of every request")
    parser.add_argument("--prices", metavar="FILE", help="YAML file of prices, for costs and a cap")
    parser.add_argument(
        "--cost-cap-usd", type=float, metavar="USD", help="send no request that could pass it"
    )


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number of at least 1")
    return int(text)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a JSON object")
    return value


def _pair(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE")
    return name, value or None


def model_options(arguments: argparse.Namespace, model: str) -> dict[str, Any]:
    """Return the provider's options that were given; ValueError if the file of prices lacks the model."""
    given = {name: value for name in _PROVIDERS if (value := getattr(arguments, name, None)) is not None}
    for name, pairs in (("fields", arguments.field), ("end_words", arguments.end_word)):
        given |= {name: dict(pairs)} if pairs else {}
    if arguments.attempts is not None:
        from judged_useless.models.retry import Retries

        given["retries"] = Retries(attempts=arguments.attempts)
    if arguments.prices:
        if model.startswith("scripted:"):
            raise ValueError(f"model {model!r}: provider 'scripted' has no option prices")
        from judged_useless.models.costs import load_prices

        prices, name = load_prices(arguments.prices), model.partition(":")[2]
        if name not in prices:
            raise ValueError(f"{arguments.prices}: no price of {name!r}; it has {', '.join(prices)}")
        given["price"] = prices[name]
    return given
