"""Execute a section of the book: ``python -m paper_book.sections run NAME [-p NAME=VALUE]``.

papermill only warns about a parameter that a notebook does not have; here that is an error.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from judged_useless._io.files import write_atomically

from paper_book.section_values import parse_source, value_fault

NOTEBOOKS = Path("notebooks")
#: Where executed copies go by default.
#: Reruns with other parameters; the book is built from executed copies elsewhere, with its own source.
EXECUTED = Path("_build/reruns")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_CREDENTIALS = re.compile(r"://[^/\s]*@")


class SectionError(ValueError):
    """A section or parameter that does not exist, or a section that failed; the message says which."""


def section_path(name: str, folder: Path = NOTEBOOKS) -> Path:
    """Return the notebook of a section.

    Parameters
    ----------
    name : str
        File name without ending, such as ``03_prompt_arms``.
    folder : pathlib.Path, default ``notebooks``
        Where the notebooks are.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    SectionError
        If there is no such section; the message lists those there are.
    """
    name = name.removeprefix("notebooks/").removesuffix(".ipynb")
    path = folder / f"{name}.ipynb"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(sorted(each.stem for each in folder.glob("*.ipynb"))) or "none"
        raise SectionError(f"there is no section {name!r} in {folder}; there are: {known}")
    return path


def parameters(notebook: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of a notebook: name → default, type and help, as papermill reads them.

    Parameters
    ----------
    notebook : pathlib.Path
        A notebook with a cell tagged ``parameters``.

    Returns
    -------
    dict
        In the order of the cell.
    """
    import papermill

    return dict(papermill.inspect_notebook(str(notebook)))


def parse_parameters(texts: Sequence[str]) -> dict[str, Any]:
    """Return ``NAME=VALUE`` texts as parameters; values are read as YAML, so numbers and lists work.

    Parameters
    ----------
    texts : sequence of str
        Such as ``["n_boot=500", "split=fresh300", "models=[qwen3-8b, qwen3-32b]"]``.

    Returns
    -------
    dict

    Raises
    ------
    SectionError
        If a text has no ``=``, or its value is not YAML.
    """
    parsed: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise SectionError(f"parameter {text!r}: expected NAME=VALUE")
        try:
            parsed[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise SectionError(f"parameter {name!r}: {value!r} is not a value ({error})") from error
    return parsed


def check_parameters(notebook: Path, given: Mapping[str, Any]) -> None:
    """Refuse parameters that a notebook does not have, and values of another kind than their defaults.

    Parameters
    ----------
    notebook : pathlib.Path
        The section.
    given : mapping
        Parameters by name.

    Raises
    ------
    SectionError
        Naming the unknown ones and listing those there are, with their defaults; or saying of what kind a
        value has to be.
    """
    known = parameters(notebook)
    unknown = [name for name in given if name not in known]
    if unknown:
        lines = "\n".join(f"  {name} = {each['default']}  {each['help']}" for name, each in known.items())
        raise SectionError(
            f"{notebook.name} has no parameter {', '.join(map(repr, unknown))}; its parameters are:\n{lines}"
        )
    faults = [fault for name, value in given.items() if (fault := value_fault(name, value, known[name]))]
    if faults:
        raise SectionError(f"{notebook.name}: {'; '.join(faults)}")


def run_section(
    notebook: Path, output: Path, given: Mapping[str, Any], *, failed: Path | None = None
) -> Path:
    """Execute a section with parameters.

    Parameters
    ----------
    notebook : pathlib.Path
        The section.
    output : pathlib.Path
        Where the executed copy goes; written whole or not at all.
    given : mapping
        Parameters that replace the defaults.
    failed : pathlib.Path, optional
        Where the copy of a section that fails is kept; ``<name>.failed.ipynb`` beside `output` by default.

    Returns
    -------
    pathlib.Path
        `output`.

    Raises
    ------
    SectionError
        If a parameter does not exist, or a cell fails; `output` is left as it was then.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    check_parameters(notebook, given)
    _refuse_credentials(given)
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


def _refuse_credentials(given: Mapping[str, Any]) -> None:
    """Refuse addresses with a user and password: parameters are written into the executed notebook."""
    for name, value in given.items():
        if _CREDENTIALS.search(str(value)):
            raise SectionError(
                f"parameter {name!r} holds a user or password, which the executed notebook would show; "
                "give the address without it, and the key in the environment variable of the server's SDK"
            )


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
    """Execute a section with its defaults and keep the outputs in it, as they are committed.

    Parameters
    ----------
    notebook : pathlib.Path
        The section.

    Returns
    -------
    pathlib.Path
        `notebook`.

    Raises
    ------
    SectionError
        If a cell fails; the notebook is left as it was.
    """
    # Not beside the notebook: whatever lies in their folder is taken for a section.
    return run_section(notebook, notebook, {}, failed=EXECUTED / f"{notebook.stem}.failed.ipynb")


def _source(text: str) -> str | list[str]:
    try:
        return parse_source(text)
    except ValueError as error:
        raise SectionError(str(error)) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit status: 0, or 1 after a message on the error stream; 130 if interrupted.
    """
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
            given.setdefault("source", _source(parsed.source))
        output = parsed.output or EXECUTED / notebook.name
        sys.stdout.write(f"{run_section(notebook, output, given)}\n")
    except (SectionError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command starts again, and resumes what a run has kept\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
