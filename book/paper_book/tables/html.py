"""HTML of what a page shows: one set of templates, in which no text is markup."""

import re
from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from judged_useless._io.messages import visible
from markupsafe import Markup, escape


def label(text: str) -> str:
    """Return a heading of the paper with a true minus sign before what it subtracts."""
    return re.sub(r"(^| )- ", r"\1− ", text)


def slug(key: str) -> str:
    """Return the anchor of a registered test on its page, from its document and id.

    Examples
    --------
    >>> slug("A16 F1–F2")
    'test-a16-f1-f2'
    """
    return "test-" + key.lower().replace(" ", "-").replace("–", "-")


def with_code(text: str) -> Markup:
    """Return a text as HTML, with what stands between backticks as code."""
    parts = escape(visible(text)).split("`")
    if len(parts) % 2 == 0:  # a backtick without a partner stays as it is
        return escape(visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
    finalize=_finalize,
)
_ENVIRONMENT.filters |= {"code": with_code, "label": label, "slug": slug}


def render(name: str, *values: object) -> Markup:
    """Return what the macro `name` of the templates makes of `values`."""
    macro: Callable[..., Markup] = getattr(_ENVIRONMENT.get_template("templates.html.j2").module, name)
    return macro(*values).strip()
