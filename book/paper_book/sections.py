"""Execute a section of the book: python -m paper_book.sections run NAME [-p NAME=VALUE].

papermill only warns about a parameter that a notebook does not have; here that is an error.
"""

import argparse
import ast
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from judged_useless._io.files import write_atomically
from judged_useless._io.messages import shown
from judged_useless.sources.readers import load_episodes

from paper_book.rerun_page import told

NOTEBOOKS = Path("notebooks")
#: Reruns with other parameters; the book is built from executed copies elsewhere, with its own source.
EXECUTED = Path("_build/reruns")
_NAME = re.compile(r"[A-Za-z0-9_]+")
#: User and password in an address, also in one that was taken for a path.
CREDENTIALS = re.compile(r":/+[^/\s]*@")
#: Parameters that count something.
_COUNTS = ("n_boot", "n_questions", "budget", "k")
#: Kind of a default -> kinds that may take its place, and what they are called.
_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number such as 50"),
    float: ((int, float), "a number such as 0.9"),
    list: ((list,), "a list, such as [a, b]"),
}


#: Parameters whose values a source has or has not.
_OF_A_SOURCE = ("model", "models", "condition", "conditions")


class SectionError(ValueError):
    """A section or parameter that does not exist, or a section that failed; the message says which."""


def section_path(name: str, folder: Path = NOTEBOOKS) -> Path:
    """Return the notebook of a section."""
    name = name.removeprefix("notebooks/").removesuffix(".ipynb")
    path = folder / f"{name}.ipynb"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(sorted(each.stem for each in folder.glob("*.ipynb"))) or "none"
        raise SectionError(f"there is no section {name!r} in {folder}; there are: {known}")
    return path


def parameters(notebook: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of a notebook: name → default, type and help, as papermill reads them."""
    import papermill

    return dict(papermill.inspect_notebook(str(notebook)))


def parse_parameters(texts: Sequence[str]) -> dict[str, Any]:
    """Return ``NAME=VALUE`` texts as parameters; values are read as YAML, so numbers and lists work."""
    parsed: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise SectionError(f"parameter {text!r}: expected NAME=VALUE")
        if name in parsed:
            raise SectionError(f"parameter {name!r} is given twice; which value is meant?")
        try:
            parsed[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise SectionError(f"parameter {name!r}: {value!r} is not a value ({error})") from error
    return parsed


def parse_source(text: str) -> str | list[str]:
    """Return what ``--source`` names: one source, or several that commas part."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SectionError(
            f"source {shown(text)}: an empty name; expected 'embedded', 'hub', a file or folder, or several "
            "with one comma between each two"
        )
    return names[0] if len(names) == 1 else names


def _value_fault(name: str, value: object, known: Mapping[str, Any]) -> str:
    """Return what is wrong with a value, which is to be of the kind of its default, or None where allowed."""
    try:
        default = ast.literal_eval(str(known["default"]))
    except (ValueError, SyntaxError):  # computed, so of no kind that could be told here
        return ""
    if type(default) not in _KINDS or (value is None and "None" in str(known["help"])):
        return ""
    kinds, expected = ((str, list), "a text or a list") if name == "source" else _KINDS[type(default)]
    # True is a whole number to Python, and to nobody else.
    if isinstance(value, kinds) and isinstance(value, bool) == (type(default) is bool):
        if name in _COUNTS and isinstance(value, int) and value < 1:
            return f"{name} must be at least 1, not {value}"
        if name == "level" and isinstance(value, float | int) and not 0 < value < 1:
            return f"level must be between 0 and 1, not {value}"
        return ""
    return f"{name} must be {expected}, not {shown(value)}"


def check_parameters(notebook: Path, given: Mapping[str, Any]) -> None:
    """Refuse parameters that a notebook does not have, and values of another kind than their defaults."""
    known = parameters(notebook)
    unknown = [name for name in given if name not in known]
    if unknown:
        lines = "\n".join(f"  {name} = {each['default']}  {each['help']}" for name, each in known.items())
        raise SectionError(
            f"{notebook.name} has no parameter {', '.join(map(repr, unknown))}; its parameters are:\n{lines}"
        )
    for name, value in given.items():
        if CREDENTIALS.search(str(value)):  # parameters are written into the executed notebook
            raise SectionError(
                f"parameter {name!r} holds a user or password, which the executed notebook would show; "
                "give the address without it, and the key in the environment variable of the server's SDK"
            )
    faults = [fault for name, value in given.items() if (fault := _value_fault(name, value, known[name]))]
    if faults:
        raise SectionError(f"{notebook.name}: {'; '.join(faults)}")


def check_available(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse a model or condition that was asked for and is not in the source, with what it has."""
    asked = {name: given[name] for name in _OF_A_SOURCE if given.get(name) and name in known}
    if "source" not in known or not asked:
        return
    source = given.get("source", "embedded")
    episodes = load_episodes(source, allow_partial=True)
    for name, value in asked.items():
        column = name.removesuffix("s")
        there = sorted(set(episodes[column]))
        lacking = [each for each in ([value] if isinstance(value, str) else value) if each not in there]
        if lacking:
            more = "; all released cells: make data, then SOURCE=hub" if source == "embedded" else ""
            raise SectionError(
                f"source {shown(source)} has no {column} {', '.join(map(repr, lacking))}; "
                f"it has {', '.join(there)}{more}"
            )


def run_section(
    notebook: Path, output: Path, given: Mapping[str, Any], *, failed: Path | None = None
) -> Path:
    """Execute a section with parameters."""
    import papermill
    from papermill.exceptions import PapermillExecutionError

    check_parameters(notebook, given)
    changed = {name: value for name, value in given.items() if not _is_default(notebook, name, value)}
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".section.", dir=output.parent) as folder:
        fresh = Path(folder) / output.name
        try:
            papermill.execute_notebook(
                str(notebook),
                str(fresh),
                changed,
                kernel_name="python3",
                progress_bar=False,
                cwd=str(Path.cwd()),
                # The kernel warns of unencrypted ports at every start, which are this machine's own, and
                # calls it an error that it is interrupted once its work is done. What a cell raises comes
                # another way.
                extra_arguments=["--IPKernelApp.log_level=50"],
            )
        except PapermillExecutionError as error:
            kept = failed or output.with_suffix(".failed.ipynb")
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(kept, lambda target: _tidy(fresh, target))
            raise SectionError(
                f"{notebook.name}: cell {error.exec_count} failed with {error.ename}: {error.evalue}\n"
                f"the executed copy up to there is {kept}"
            ) from error
        return write_atomically(output, lambda target: _tidy(fresh, target))


def _is_default(notebook: Path, name: str, value: object) -> bool:
    default = parameters(notebook)[name]["default"]
    try:
        return bool(yaml.safe_load(default) == value)
    except yaml.YAMLError:
        return False


def _tidy(executed: Path, target: Path) -> None:
    """Write an executed notebook without times and paths, so that the same run gives the same bytes."""
    import nbformat

    notebook = nbformat.reads(executed.read_text(encoding="utf-8"), as_version=4)
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
    target.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def store(notebook: Path) -> Path:
    """Execute a section with its defaults and keep the outputs in it, as they are committed."""
    # Not beside the notebook: whatever lies in their folder is taken for a section.
    return run_section(notebook, notebook, {}, failed=EXECUTED / f"{notebook.stem}.failed.ipynb")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m paper_book.sections", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="execute one section")
    run.add_argument("name", help="section, such as 03_prompt_arms")
    run.add_argument("--output", type=Path, help="executed copy (_build/reruns/NAME.ipynb)")
    run.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE")
    run.add_argument("--source", help="sets the parameter 'source' where the section has it")
    keep = commands.add_parser("store", help="execute with the defaults and keep the outputs")
    keep.add_argument("names", nargs="*", help="sections (all)")
    parsed = parser.parse_args(arguments)
    try:
        if parsed.command == "store":
            for name in parsed.names or sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")):
                store(section_path(name))
            return 0
        notebook = section_path(parsed.name)
        given = parse_parameters(parsed.parameter)
        if parsed.source is not None and "source" in parameters(notebook):
            given.setdefault("source", parse_source(parsed.source))
        check_available(given, parameters(notebook))
        if parsed.output:  # the book asks: nobody reads what is said
            sys.stdout.write(f"{run_section(notebook, parsed.output, given)}\n")
        else:
            done = run_section(notebook, EXECUTED / notebook.name, given)
            sys.stdout.write(told(notebook, done, [f"{name}={value}" for name, value in given.items()]))
    except (ValueError, OSError) as error:
        sys.stderr.write(CREDENTIALS.sub("://", f"{error}\n"))
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command starts again, and resumes what a run has kept\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
