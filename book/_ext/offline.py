"""Keep pages free of other hosts: formulas become MathML at build time, and live-code scripts stay out."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_logger = logging.getLogger(__name__)


def _mathml(self: HTML5Translator, node: nodes.Element, display: str) -> str:
    latex = node.astext()
    try:
        return str(convert(latex, display=display))
    except Exception as error:  # noqa: BLE001 - whatever the converter trips over is a fault of the page
        _logger.warning("formula %r cannot be converted to MathML: %s", latex, error, location=node)
        return f"<code>{self.encode(latex)}</code>"


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(f'<span class="math">{_mathml(self, node, "inline")}</span>')
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math ju-formula" tabindex="0">{_mathml(self, node, "block")}</div>')
    raise nodes.SkipNode


def _without_thebe(app: Sphinx, _: Config) -> None:
    """Disconnect the live-code extension, whose script declares a variable twice and names another host."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in list(app.events.listeners[event]):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``, and disconnect live code."""
    # Late, when every other extension has connected its own.
    app.connect("config-inited", _without_thebe, priority=900)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
