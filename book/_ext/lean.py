"""Leave out of the built pages what none of them uses: icons, style rules, and the search index."""

import re
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

_STYLES, _FONTS = Path("_static/styles/pydata-sphinx-theme.css"), Path("_static/vendor/fontawesome/webfonts")
_ICONS = re.compile(r'\s*<script defer src="[^"]*/fontawesome\.js[^"]*"></script>')
_INDEX = re.compile(r'\s*<script src="[^"]*/(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_CHARACTER = re.compile(r'content:"\\([0-9a-f]+)"')


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
            asked = (set(_CLASS.findall(re.sub(r"\([^)]*\)", "", each))) for each in head.split(","))
            block = block if any(classes <= used for classes in asked) else ""
        kept.append(notices + (f"{head}{{{block}}}" if block else ""))
    return "".join(kept)


def _lean(app: Sphinx, exception: Exception | None) -> None:
    out = Path(app.outdir)
    if exception or not (out / _STYLES).is_file():
        return
    used: set[str] = set()
    for path in (*out.rglob("*.html"), *(out / "_static").rglob("*.js")):
        if path.name == "fontawesome.js":
            continue
        text = path.read_text("utf-8")
        if (
            path.suffix == ".html"
            and (lean := _ICONS.sub("", text if path.name == "search.html" else _INDEX.sub("", text))) != text
        ):
            path.write_text(lean, "utf-8")
        used |= set(re.findall(r"[\w-]+", text))
    # From the theme's own files: those of an earlier build may lack what a new page uses.
    themes = [Path(each) / "static" for each in app.builder.theme.get_theme_dirs()]  # type: ignore[attr-defined]
    css = pruned(_in(themes, _STYLES).read_text("utf-8"), used)
    (out / _STYLES).write_text(re.sub(r'url\([^)]*\) format\("woff2"\),', "", css), "utf-8")
    characters = [int(each, 16) for each in _CHARACTER.findall(css)]
    for path in (out / _FONTS).glob("*.ttf"):
        font = subset.load_font(str(_in(themes, path.relative_to(out))), subset.Options())
        chosen = subset.Subsetter()
        chosen.populate(unicodes=characters)
        chosen.subset(font)
        font.save(str(path))


def _in(themes: list[Path], name: Path) -> Path:
    return next(path for each in themes if (path := each / name.relative_to("_static")).is_file())


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at the pages when all are written."""
    app.connect("build-finished", _lean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
