"""Make the built pages light and safe: icons that are shown, search where it is used, no foreign script."""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>\s*", re.DOTALL)
_STYLE = re.compile(r"<link(?P<attributes>[^>]*)>\s*")
#: What no page needs, what only the search page does, and what only pages with cards and grids do.
_UNUSED, _SEARCH = (
    ("fontawesome.js", "sphinx-thebe"),
    ("searchtools.js", "language_data.js", "searchindex.js"),
)
_DRAWING = re.compile(r"(data:image/svg\+xml;base64,)([A-Za-z0-9+/=]+)")
_DESIGN = ("sphinx-design", "design-tabs.js")
#: What the theme and its extensions write that a screen reader trips over, and what stands there instead.
_SPOKEN = (
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    (' role="list" class="citation-list"', ' class="citation-list"'),
    (' role="doc-biblioentry"', ""),
    (' onclick="window.print()"', " data-ju-print"),
)
_CLASSES = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_CSS, _FONTS = Path("_static/styles/pydata-sphinx-theme.css"), Path("_static/vendor/fontawesome/webfonts")
_FONT = "fa-solid-900.ttf"


def _policy(text: str) -> str:
    """Return the rules for one page: nothing from elsewhere, of scripts in the page the theme's own only."""
    outside = re.sub(r"<article.*?</article>", "", text, flags=re.DOTALL)
    hashes = sorted(
        {
            base64.b64encode(hashlib.sha256(found["code"].encode()).digest()).decode()
            for found in _SCRIPT.finditer(outside)
            if "src=" not in found["attributes"]
        }
    )
    scripts = " ".join(f"'sha256-{each}'" for each in hashes)
    # A page opened from disk has no origin of its own, so its files are named by their scheme.
    return (
        f"default-src 'none'; script-src 'self' file: {scripts}; style-src 'self' file: 'unsafe-inline'; "
        "img-src 'self' file: data:; font-src 'self' file:; form-action 'self' file:; base-uri 'none'"
    )


def _shorter(drawing: str) -> str:
    """Return an SVG with two decimals, a sixth shorter; what letters are scaled by stays."""
    text = base64.b64decode(drawing).decode()
    text = re.sub(
        r"scale\([^)]*\)|-?\d+\.\d{3,}(?=[ \"\n,)])",
        lambda found: found[0] if found[0].startswith("scale") else f"{float(found[0]):.2f}",
        text,
    )
    return base64.b64encode(re.sub(r"\s*\n\s*", " ", text).encode()).decode()


def lightened(text: str, searching: bool) -> str:
    """Return a page without the scripts it does not use, and with a policy for those that it keeps."""
    gone = _UNUSED + (() if searching else _SEARCH) + (() if 'class="sd-' in text else _DESIGN)
    for tags in (_SCRIPT, _STYLE):
        text = tags.sub(lambda tag: "" if any(name in tag["attributes"] for name in gone) else tag[0], text)
    for said, instead in _SPOKEN:
        text = text.replace(said, instead)
    # The field says "Search" itself; the small button of a phone has no words.
    text = re.sub(r'(class="btn search-button-field[^>]*?) title="Search" aria-label="Search"', r"\1", text)
    text = _DRAWING.sub(lambda found: found[1] + _shorter(found[2]), text)
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n?', "", text)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(text)}">'
    return text.replace("<head>", f"<head>\n{policy}", 1)


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before each block of a style sheet, and the block."""
    start = 0
    while (brace := css.find("{", start)) >= 0:
        depth, end = 1, brace + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        yield css[start:brace], css[brace + 1 : end - 1]
        start = end


def pruned(css: str, used: set[str]) -> str:
    """Return a style sheet without the rules for classes that nothing uses."""
    kept = []
    for before, block in _rules(css):
        head = re.sub(r"/\*.*?\*/", "", before, flags=re.DOTALL).strip()
        notices = "".join(re.findall(r"/\*!.*?\*/", before, flags=re.DOTALL))
        if head.startswith(("@media", "@supports")):
            block = pruned(block, used)
        elif not head.startswith("@"):
            # What stands in parentheses may be an alternative or the contrary, so it decides nothing.
            asked = (set(_CLASSES.findall(re.sub(r"\([^)]*\)", "", each))) for each in head.split(","))
            block = block if any(classes <= used for classes in asked) else ""
        kept.append(notices + (f"{head}{{{block}}}" if block else ""))
    return "".join(kept)


def _keep_what_is_used(out: Path, words: set[str]) -> None:
    """Keep of the theme's style sheet and its icons what some page or script names."""
    style = pruned((out / _CSS).read_text(encoding="utf-8"), words)
    style = re.sub(r"@font-face\{[^}]*(?:fa-regular|fa-brands)[^}]*\}", "", style)
    style = re.sub(r"url\([^)]*fa-solid-900\.woff2\) format\(\"woff2\"\),", "", style)
    (out / _CSS).write_text(style, encoding="utf-8")
    # The theme's own rules name further icons by their letters.
    letters = {int(each, 16) for each in re.findall(r'"\\([ef][0-9a-f]{3})"', style)}
    font = TTFont(out / _FONTS / _FONT)
    subsetter = subset.Subsetter()
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.save(out / _FONTS / _FONT)
    for path in [*(out / _FONTS).iterdir(), *(out / "_static").rglob("*.map")]:
        if path.name != _FONT:
            path.unlink()


def _lighten(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    scripts = [path for path in (out / "_static").rglob("*.js") if path.name != "fontawesome.js"]
    words = {word for path in scripts for word in re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))}
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        words |= set(re.findall(r"[\w-]+", text))
        path.write_text(lightened(text, path.name == "search.html"), encoding="utf-8")
    _keep_what_is_used(out, words)


def setup(app: Sphinx) -> dict[str, bool]:
    """Go over the pages when all are written."""
    app.connect("build-finished", _lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
