"""Running a section: its parameters, what a failure leaves, and the same bytes twice."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from paper_book import sections
from paper_book.rerun_page import told
from paper_book.sections import (
    SectionError,
    check_parameters,
    parse_parameters,
    run_section,
    section_path,
    store,
)

# Typed loosely: it ships annotations for some functions only.
nbformat: Any = importlib.import_module("nbformat")


def notebook(path: Path, *cells: str, values: str = "n = 3  # how many\nname = 'a'  # which one") -> Path:
    """Write a small notebook whose first cell holds its parameters."""
    written = nbformat.v4.new_notebook()
    written.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    written.cells = [nbformat.v4.new_code_cell(text) for text in (values, *cells)]
    written.cells[0].metadata["tags"] = ["parameters"]
    path.write_text(nbformat.writes(written))
    return path


def outputs(path: Path) -> list[str]:
    read = nbformat.read(path, as_version=4)
    return [
        output["data"]["text/plain"]
        for cell in read.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "execute_result"
    ]


@pytest.mark.parametrize(
    "name",
    ["../secret", "..", "", "/etc/passwd", "sub/01_setting", "01_setting/../../x", "01_setting\n", "01*",
     "notebooks/../secret", "01_setting.failed"],
)  # fmt: skip
def test_other_names_are_refused_and_never_a_path(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "notebooks"
    (folder / "sub").mkdir(parents=True)
    for path in (tmp_path / "secret.ipynb", folder / "01_setting.ipynb", folder / "sub" / "01_setting.ipynb",
                 folder / "01_setting.failed.ipynb"):  # fmt: skip
        notebook(path)
    with pytest.raises(SectionError, match=r"there is no section .*; there are: 01_setting"):
        section_path(name, folder)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], {}),
        (["n=500", "level=0.9"], {"n": 500, "level": 0.9}),
        (["models=[a, b]", "flag=true"], {"models": ["a", "b"], "flag": True}),
        (["text=a=b", "quoted='500'"], {"text": "a=b", "quoted": "500"}),
        (["code=__import__('os').system('true')"], {"code": "__import__('os').system('true')"}),
    ],
)
def test_values_are_read_as_yaml_and_never_run(texts: list[str], expected: Mapping[str, Any]) -> None:
    assert parse_parameters(texts) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": 2}, "name must be a text, not 2"),
        ({"n": 50.5}, "n must be a whole number such as 50, not 50.5"),
        ({"n": True}, "n must be a whole number such as 50, not True"),
        ({"arms": "budget"}, "arms must be a list, such as [a, b], not 'budget'"),
        ({"level": 1}, "level must be between 0 and 1, not 1"),
        ({"source": 7}, "source must be a text or a list, not 7"),
        ({"name": 2, "n": "x"}, "name must be a text, not 2; n must be a whole number such as 50, not 'x'"),
    ],
)
def test_a_value_of_another_kind_is_refused(tmp_path: Path, given: Mapping[str, Any], message: str) -> None:
    with pytest.raises(SectionError) as caught:
        check_parameters(kinds(tmp_path), given)
    assert str(caught.value) == f"02.ipynb: {message}"


@pytest.mark.parametrize(
    "given",
    [
        {"n": 5, "level": 0.9, "name": "2", "arms": []},
        {"level": 0.5, "few": None, "free": None},
        {"free": ["a"], "source": ["a", "b"]},
        {"free": 3, "few": 2, "source": "hub"},
    ],
)
def test_values_of_their_kind_are_taken(tmp_path: Path, given: Mapping[str, Any]) -> None:
    check_parameters(kinds(tmp_path), given)


def kinds(folder: Path) -> Path:
    lines = ["n = 3  # how many", "name = 'a'  # which one", "level = 0.95  # of intervals"]
    lines += ["arms = ['a', 'b']  # arms", "free = None  # None for all", "few = 4  # of them; None for all"]
    return notebook(folder / "02.ipynb", values="\n".join([*lines, "source = 'embedded'  # from"]))


def test_a_section_runs_with_its_parameters_and_a_failing_one_is_kept_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test for both ends, because each start of a kernel takes seconds."""
    monkeypatch.chdir(tmp_path)
    section = notebook(tmp_path / "05.ipynb", "if n > 100:\n    raise RuntimeError('too many')", "name * n")
    output = tmp_path / "out" / "05.ipynb"
    assert run_section(section, output, {"n": 4, "name": "b'\"; raise SystemExit  # "}) == output
    assert outputs(output) == [repr("b'\"; raise SystemExit  # " * 4)]
    before = output.read_bytes()
    assert b"papermill" not in before.replace(b"injected-parameters", b"")
    assert str(tmp_path).encode() not in before
    with pytest.raises(SectionError, match=r"05\.ipynb: cell \d+ failed with RuntimeError: too many"):
        run_section(section, output, {"n": 101})
    assert output.read_bytes() == before
    failed = nbformat.read(tmp_path / "out" / "05.failed.ipynb", as_version=4)
    assert [output["ename"] for cell in failed.cells for output in cell.get("outputs", [])
            if output["output_type"] == "error"] == ["RuntimeError"]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["05.failed.ipynb", "05.ipynb"]


def executed(notebook_path: str, output_path: str, given: Mapping[str, Any], **_: object) -> None:
    """Stand in for papermill: copy the notebook, or fail as papermill does."""
    from papermill.exceptions import PapermillExecutionError

    Path(output_path).write_text(Path(notebook_path).read_text())
    if given.get("n") == 0 or "fail" in notebook_path:
        raise PapermillExecutionError(1, 2, "1/0", "ZeroDivisionError", "division by zero", [])


def test_a_failing_store_leaves_the_notebook_and_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("papermill.execute_notebook", executed)
    (tmp_path / "notebooks").mkdir()
    section = notebook(tmp_path / "notebooks" / "fails.ipynb")
    before = section.read_bytes()
    with pytest.raises(SectionError, match="ZeroDivisionError"):
        store(section)
    assert section.read_bytes() == before
    assert [path.name for path in section.parent.iterdir()] == ["fails.ipynb"]
    assert (tmp_path / "_build" / "reruns" / "fails.failed.ipynb").is_file()


def test_the_same_run_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("papermill.execute_notebook", executed)
    section = notebook(tmp_path / "a.ipynb", "1 + 1")
    once, again = (run_section(section, tmp_path / name / "a.ipynb", {}).read_bytes() for name in ("x", "y"))
    assert once == again
    read = nbformat.reads(once.decode(), as_version=4)
    assert [cell["id"] for cell in read.cells] == ["cell-000", "cell-001"]
    assert read.metadata["language_info"] == {"name": "python"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """A project of two notebooks in which no kernel is started; returns what would have been given."""
    given: list[Mapping[str, Any]] = []

    def record(notebook_path: str, output_path: str, values: Mapping[str, Any], **_: object) -> None:
        given.append(dict(values))
        executed(notebook_path, output_path, values)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("papermill.execute_notebook", record)
    (tmp_path / "notebooks").mkdir()
    notebook(tmp_path / "notebooks" / "01.ipynb", values="source = 'embedded'  # from\nn = 3  # how many")
    notebook(tmp_path / "notebooks" / "02.ipynb")
    return given


def test_the_command_runs_one_section(
    project: list[Mapping[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sections.main(["run", "01", "--source", "runs/a,runs/b", "-p", "n=4"]) == 0
    assert project == [{"source": ["runs/a", "runs/b"], "n": 4}]
    assert capsys.readouterr().out.startswith("01 with n=4, source=['runs/a', 'runs/b']\n")
    assert Path("_build/reruns/01.ipynb").is_file()
    assert sections.main(["run", "02", "--source", "hub", "--output", "mine.ipynb"]) == 0
    assert project[-1] == {}  # this section has no source
    assert Path("mine.ipynb").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "03"], "there is no section '03' in notebooks; there are: 01, 02"),
        (["run", "01", "-p", "m=4"], "01.ipynb has no parameter 'm'; its parameters are:"),
        (["run", "01", "-p", "n"], "parameter 'n': expected NAME=VALUE"),
        (["run", "01", "-p", "n=5e1"], "01.ipynb: n must be a whole number such as 50, not '5e1'"),
        (["run", "01", "--source", "a.jsonl,,b.jsonl"], "source 'a.jsonl,,b.jsonl': an empty name; expected"),
        (["run", "01", "-p", "n=0"], "01.ipynb: cell 2 failed with ZeroDivisionError: division by zero"),
        (["store", "../01"], "there is no section '../01'"),
    ],
)
@pytest.mark.usefixtures("project")
def test_the_command_fails_with_a_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sections.main(arguments) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-p", "n_boot=0"], "02_judgments.ipynb: n_boot must be at least 1, not 0\n"),
        (["-p", "n_boot=5", "-p", "n_boot=6"], "parameter 'n_boot' is given twice; which value is meant?\n"),
    ],
)
def test_what_no_section_can_take_is_refused_before_it_starts(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sections.main(["run", "02_judgments", *given]) == 1
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["-p", "model=llama3.1-8b"],
            "has no model 'llama3.1-8b'; it has qwen3-8b; all released cells: make",
        ),
        (
            ["-p", "condition=budget"],
            "has no condition 'budget'; it has enforced_rule, unaided; all released",
        ),
    ],
)
def test_what_the_source_does_not_have_is_refused_with_what_it_has(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sections.main(["run", "02_judgments", "--source", "embedded", *given]) == 1
    assert said in capsys.readouterr().err


def test_a_rerun_is_told_beside_the_default_and_can_be_read(tmp_path: Path) -> None:
    default = Path("notebooks/02_judgments.ipynb")
    text = default.read_text("utf-8").replace("Δ = -0.065 [-0.095, -0.039]", "Δ = 0.329 [0.3, <b>4]")
    rerun = tmp_path / "02_judgments.ipynb"
    rerun.write_text(text, encoding="utf-8")
    said = told(default, rerun, ["condition=enforced_rule"])
    assert said.startswith("02_judgments with condition=enforced_rule\n\nclaim: Agents call a persistently")
    assert "Here 99.6% of them are called useless, and 0.3% of such questions are answered." in said
    assert "Δ lies below zero.\n  here:       holds (Δ = 0.329" in said
    assert "  by default: holds (Δ = -0.065 [-0.095, -0.039])\n" in said
    assert said.count("as by default") == 4
    assert f"The page is {tmp_path / '02_judgments.html'}" in said
    page = (tmp_path / "02_judgments.html").read_text("utf-8")
    assert "<h2>Actions do not follow</h2>" in page
    assert "{glue" not in page
    assert "ju-figure" in page


@pytest.mark.parametrize("value", ["http://user:hidden@host/v1", ["http://hidden@host", "x"]])
def test_credentials_never_reach_a_notebook(tmp_path: Path, value: object) -> None:
    notebook = Path("notebooks/09_run_the_agent.ipynb")
    with pytest.raises(SectionError, match="'base_url'") as caught:
        run_section(notebook, tmp_path / "out.ipynb", {"base_url": value})
    assert "hidden" not in str(caught.value)
    assert not list(tmp_path.iterdir())
