"""The book: every section executed, then assembled and built. Called by `make book`."""

import sys
from pathlib import Path

SOURCE = config.get("source", "embedded")
SECTIONS = sorted(path.stem for path in Path("notebooks").glob("*.ipynb"))
PACKAGE = sorted(str(path) for folder in ("lib", "book/paper_book") for path in Path(folder).rglob("*.py"))
DATA = sorted(str(path) for path in Path("data").rglob("*") if path.is_file())
PAGES = sorted(
    str(path)
    for path in (Path("_config.yml"), Path("_toc.yml"), *Path("book").rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py"
)


def source_files(_):
    """Files that a source consists of: the sections run again when they change."""
    from judged_useless._io.paths import cache_dir
    from paper_book.section_values import parse_source

    parsed = parse_source(SOURCE)
    names = [parsed] if isinstance(parsed, str) else parsed
    given = [cache_dir() / "episodes" if name == "hub" else Path(name) for name in names]
    found = [
        sorted(each for each in path.rglob("*") if each.name.endswith((".jsonl", ".jsonl.gz", ".parquet")))
        if path.is_dir()
        else [path]
        for name, path in zip(names, given)
        if name != "embedded"
    ]
    return [str(file) for files in found for file in files]


rule book:
    input:
        "_build/html/index.html",


rule section:
    input:
        notebook="notebooks/{name}.ipynb",
        package=PACKAGE,
        data=DATA,
        source=source_files,
    output:
        "_build/sections/{name}.ipynb",
    params:
        source=SOURCE,
    shell:
        "{sys.executable} -m paper_book.sections run {wildcards.name} --output {output} --source {params.source:q}"


rule generated:
    input:
        package=PACKAGE,
        data=[name for name in DATA if name.startswith("data/published/")],
    output:
        directory("_build/generated"),
    shell:
        "{sys.executable} -m paper_book.generated {output}"


rule html:
    input:
        generated="_build/generated",
        sections=expand("_build/sections/{name}.ipynb", name=SECTIONS),
        pages=PAGES,
    output:
        "_build/html/index.html",
    shell:
        "{sys.executable} -m paper_book.assemble _build/sections {input.generated} _build/book && "
        "jupyter-book build _build/book --path-output . --warningiserror --keep-going --quiet"
