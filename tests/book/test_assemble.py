"""Laying the book's source together: what changed is copied, what is gone is removed, nothing else."""

from pathlib import Path

import pytest
from paper_book.assemble import assemble, main


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two pages, a computed part and two executed sections."""
    project = tmp_path / "home" / "project"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    files = {
        "_config.yml": "title: t", "_toc.yml": "root: book/index", "book/index.md": "# Index",
        "book/data.md": "# Data",
        "book/_ext/__pycache__/x.pyc": "", "README.md": "not in the book",
        "_build/generated/generated/table.md": "| a |",
        "_build/sections/01.ipynb": "{}", "_build/sections/02.ipynb": "{}",
        "_build/sections/02.failed.ipynb": "",
    }  # fmt: skip
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return project


SECTIONS, GENERATED, TARGET = Path("_build/sections"), Path("_build/generated"), Path("_build/book")
PLACES = {
    "_config.yml",
    "_toc.yml",
    "book/index.md",
    "book/data.md",
    "book/generated/table.md",
    "notebooks/01.ipynb",
    "notebooks/02.ipynb",
}


def there(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("project")
def test_everything_is_copied_once() -> None:
    assert {path.as_posix() for path in assemble(SECTIONS, GENERATED, TARGET)} == PLACES
    assert there(TARGET) == PLACES
    assert assemble(SECTIONS, GENERATED, TARGET) == []


@pytest.mark.usefixtures("project")
def test_only_what_changed_is_copied_and_what_is_gone_is_removed() -> None:
    assemble(SECTIONS, GENERATED, TARGET)
    untouched = (TARGET / "book/data.md").stat().st_mtime_ns
    Path("book/index.md").write_text("# Another")
    (SECTIONS / "02.ipynb").unlink()
    assert assemble(SECTIONS, GENERATED, TARGET) == [Path("book/index.md")]
    assert there(TARGET) == PLACES - {"notebooks/02.ipynb"}
    assert (TARGET / "book/index.md").read_text() == "# Another"
    assert (TARGET / "book/data.md").stat().st_mtime_ns == untouched


@pytest.mark.parametrize(
    "target", [".", "..", "book", "_build/sections", "_build/generated", "_build", "elsewhere"]
)
def test_a_mistyped_target_is_refused_and_nothing_is_deleted(target: str, project: Path) -> None:
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "thesis.tex").write_text("ten years of work")
    before = there(project.parent)
    with pytest.raises(ValueError, match="expected a "):
        assemble(SECTIONS, GENERATED, Path(target))
    assert there(project.parent) == before


@pytest.mark.usefixtures("project")
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["_build/sections", "_build/generated", "_build/book"]) == 0
    assert there(TARGET) == PLACES
    assert main(["_build/sections"]) == 2
    assert "SECTIONS GENERATED TARGET" in capsys.readouterr().err
    assert main(["_build/sections", "_build/generated", "."]) == 1
    assert "holds what the book is made from" in capsys.readouterr().err
    Path("_toc.yml").unlink()
    assert main(["_build/sections", "_build/generated", "_build/book"]) == 1
    assert "_toc.yml" in capsys.readouterr().err
