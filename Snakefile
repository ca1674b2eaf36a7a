"""The book: every section executed, then assembled and built. Called by `make book`."""

import sys
from pathlib import Path

SOURCE = config.get("source", "embedded")
SECTIONS = sorted(path.stem for path in Path("notebooks").glob("*.ipynb"))
PACKAGE = sorted(str(path) for folder in ("lib", "book/paper_book") for path in Path(folder).rglob("*") if path.suffix in (".py", ".j2"))
DATA = sorted(str(path) for path in Path("data").rglob("*") if path.is_file())
PAGES = sorted(
    str(path)
    for path in (Path("_config.yml"), Path("_toc.yml"), *Path("book").rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts and "paper_book" not in path.parts
)


def given_files(_):
    """Files that the source consists of: the sections run again when they change."""
    from paper_book.build import source_files

    return source_files(SOURCE)


rule book:
    input:
        "_build/html/index.html",


rule section:
    input:
        notebook="notebooks/{name}.ipynb",
        package=PACKAGE,
        data=DATA,
        source=given_files,
    output:
        "_build/sections/{name}.ipynb",
    params:
        source=SOURCE,
    shell:
        "{sys.executable:q} -m paper_book.sections run {wildcards.name} --output {output} --source {params.source:q}"


rule generated:
    input:
        package=PACKAGE,
        data=DATA,
        source=given_files,
    output:
        directory("_build/generated"),
    params:
        source=SOURCE,
    shell:
        "{sys.executable:q} -m paper_book.build generated {output} --source {params.source:q}"


rule html:
    input:
        generated="_build/generated",
        sections=expand("_build/sections/{name}.ipynb", name=SECTIONS),
        pages=PAGES,
    output:
        "_build/html/index.html",
    shell:
        "{sys.executable:q} -m paper_book.build assemble _build/sections {input.generated} _build/book && "
        "jupyter-book build _build/book --path-output . --warningiserror --keep-going --quiet"
