"""Building: what a source consists of, what stops a build, and the book's source laid together."""

import fcntl
import json
import os
from pathlib import Path

import pytest
from paper_book import build
from paper_book.build import BuildError, assemble, main, source_files


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


@pytest.mark.usefixtures("project")
def test_a_generated_first_page_takes_the_place_of_the_papers() -> None:
    (GENERATED / "index.md").write_text("# Your runs")
    assemble(SECTIONS, GENERATED, TARGET)
    assert (TARGET / "book/index.md").read_text() == "# Your runs"
    assert assemble(SECTIONS, GENERATED, TARGET) == []
    (GENERATED / "index.md").unlink()
    assemble(SECTIONS, GENERATED, TARGET)
    assert (TARGET / "book/index.md").read_text() == "# Index"


@pytest.mark.parametrize(
    "target", [".", "..", "book", "_build/sections", "_build/generated", "_build", "elsewhere"]
)
def test_a_mistyped_target_is_refused_and_nothing_is_deleted(target: str, project: Path) -> None:
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "thesis.tex").write_text("ten years of work")
    before = there(project.parent)
    with pytest.raises(BuildError, match="expected a "):
        assemble(SECTIONS, GENERATED, Path(target))
    assert there(project.parent) == before


# --- what is built from, and what stops it ----------------------------------------------------------


def test_a_source_is_all_that_is_read_of_it(tmp_path: Path) -> None:
    names = (
        "runs/a/manifest.json",
        "runs/a/clean.jsonl",
        "runs/a/run.log",
        "runs/a.probes/beliefs/clean.jsonl",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")

    def found(source: str) -> list[str]:
        return [Path(each).relative_to(tmp_path).as_posix() for each in source_files(source)]

    read = [name for name in names if "log" not in name]
    assert sorted(found(f"{tmp_path}/runs")) == sorted(found(f"{tmp_path}/runs/a")) == sorted(read)
    assert source_files("embedded") == []
    assert found(f"embedded,{tmp_path}/runs/a/clean.jsonl") == ["runs/a/clean.jsonl"]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, str]]:
    """Environments of the builds that were started."""
    environments: list[dict[str, str]] = []

    class Done:
        returncode = 0

    def run(_: list[str], *, env: dict[str, str], check: bool) -> Done:
        assert not check
        environments.append(env)
        return Done()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paper_book.build.subprocess.run", run)
    return environments


@pytest.mark.parametrize("source", ["runs/typo", "a,,b", "http://user:hidden@host/v1"])
def test_a_source_that_cannot_be_read_is_told_before_anything_is_built(
    source: str, started: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["book", "--source", source]) == 1
    said = capsys.readouterr().err
    assert source.split(",")[0].replace("user:hidden@", "") in said
    assert "hidden" not in said
    assert started == []


def test_the_lock_of_a_killed_build_is_removed_and_said_and_that_of_a_running_one_respected(
    started: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    locks = Path(".snakemake/locks")
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("_build/x")
    assert main(["book"]) == 0
    assert "a build that was killed had left its lock; it is removed" in capsys.readouterr().err
    assert list(locks.iterdir()) == []
    (locks / "0.input.lock").write_text("_build/x")
    with Path("_build/.building").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert main(["book"]) == 1
    assert "another build is running in this folder" in capsys.readouterr().err
    assert len(list(locks.iterdir())) == len(started) == 1


def test_a_home_that_cannot_be_written_to_is_not_written_to(
    started: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    build.build("embedded")
    assert Path(started[0]["HOME"]) == tmp_path / "_build" / "home"
    assert os.access(started[0]["HOME"], os.W_OK)


def test_a_failed_build_says_where_its_log_is(
    started: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".snakemake/log").mkdir(parents=True)
    Path(".snakemake/log/1.snakemake.log").write_text(json.dumps({}))
    monkeypatch.setattr(
        "paper_book.build.subprocess.run", lambda *_, **__: type("Done", (), {"returncode": 1})
    )
    with pytest.raises(BuildError, match=r"was not built.*1\.snakemake\.log"):
        build.build("embedded")
    assert started == []
