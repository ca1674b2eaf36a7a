"""Build the book: python -m paper_book.build book [--source SOURCE], as make book does.

The source is checked first, a lock that a killed build left is removed and said, and what stops a build is
told in a sentence. The command assemble SECTIONS GENERATED TARGET lays the book's source together.
"""

import argparse
import fcntl
import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from judged_useless._io.paths import cache_dir
from judged_useless.sources.readers import load_episodes

from paper_book.sections import CREDENTIALS, SectionError, parse_source

_TOP = ("_config.yml", "_toc.yml")
_PAGES = (".md", ".ipynb")
_EPISODES = (".jsonl", ".jsonl.gz", ".parquet")
_BUILD = Path("_build")


class BuildError(RuntimeError):
    """What stops a build, in a sentence."""


def source_files(source: str) -> list[str]:
    """Return the files that a source consists of, probes and manifests included: what a page is made of."""
    parsed = parse_source(source)
    found: list[str] = []
    for name in [parsed] if isinstance(parsed, str) else parsed:
        if name == "embedded":
            continue
        path = cache_dir() / "episodes" if name == "hub" else Path(name)
        # The probes of a run lie beside it, and those of runs in a folder beside each of them.
        for folder in (path, path.with_name(f"{path.name}.probes")):
            found += [str(each) for each in sorted(folder.rglob("*")) if _is_read(each)]
        found += [str(path)] if path.is_file() else []
    return found


def _is_read(path: Path) -> bool:
    return path.is_file() and (path.name == "manifest.json" or path.name.endswith(_EPISODES))


def check_source(source: str) -> None:
    """Refuse a source that cannot be read, before anything is built from it."""
    try:
        load_episodes(parse_source(source))
    except (OSError, ValueError, TypeError) as error:
        raise BuildError(f"source {source!r}: {error}") from None


def _hold(lock: Path) -> int:
    """Return the handle of this folder's build, which ends with the process that holds it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BuildError("another build is running in this folder; wait for it, or end it") from None
    return handle


def _remove_stale_locks(folder: Path = Path(".snakemake/locks")) -> None:
    """Remove the locks of a build that was killed: nobody else holds this folder's build."""
    stale = [path for path in folder.glob("*") if path.is_file()]
    for path in stale:
        path.unlink()
    if stale:
        sys.stderr.write("a build that was killed had left its lock; it is removed\n")


def _environment() -> dict[str, str]:
    """Return the build's environment, with a home of its own where that of the user cannot be written to."""
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    given = os.environ | {"PATH": here}
    home = Path(given.get("HOME") or "/nonexistent")
    if not os.access(home, os.W_OK):
        given["JUDGED_USELESS_CACHE"] = str(cache_dir())
        given["HOME"] = str((_BUILD / "home").resolve())
        given.pop("XDG_CACHE_HOME", None)
        Path(given["HOME"]).mkdir(parents=True, exist_ok=True)
    return given


def build(source: str, cores: int = 2) -> None:
    """Execute what changed and build the book; whatever stops it is a `BuildError`."""
    check_source(source)
    handle = _hold(_BUILD / ".building")
    _remove_stale_locks()
    command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", str(cores)]
    # What a killed build left half done is done again.
    command += ["--rerun-incomplete", "--rerun-triggers", "mtime", "params", "input"]
    command += ["--config", f"source={source}", "--", "book"]
    try:
        done = subprocess.run(command, env=_environment(), check=False)  # noqa: S603 - our own command
    finally:
        os.close(handle)
    if done.returncode:
        logs = sorted(Path(".snakemake/log").glob("*.log"))
        more = f"; the whole log is {logs[-1]}" if logs else ""
        raise BuildError(f"the book was not built: the message of what failed stands above{more}")


def _places(sections: Path, generated: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each file of the book's source, and where it belongs in the target."""
    for name in _TOP:
        yield Path(name), Path(name)
    for path in sorted(Path("book").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "paper_book" not in path.parts:
            yield path, path
    for path in sorted(generated.rglob("*")):
        if path.is_file():
            yield path, Path("book") / path.relative_to(generated)
    for path in sorted(sections.glob("*.ipynb")):
        if not path.name.endswith(".failed.ipynb"):
            yield path, Path("notebooks") / path.name


def assemble(sections: Path, generated: Path, target: Path) -> list[Path]:
    """Copy what changed, so that the builder rebuilds only those pages, and remove what is gone.

    What is stale in `target` is deleted, so one that holds the project or files of something else is refused.
    """
    place = target.resolve()
    if any(each.resolve().is_relative_to(place) for each in (Path.cwd(), Path("book"), sections, generated)):
        raise BuildError(f"{target} holds what the book is made from; expected a folder of its own")
    if target.exists() and not (target / _TOP[0]).is_file() and any(target.iterdir()):
        raise BuildError(
            f"{target} holds other files and no {_TOP[0]}; expected a new or an assembled folder"
        )
    copied, kept = [], set()
    # Of two files for one place the generated one is taken, such as the first page of own runs.
    for place, origin in {place: origin for origin, place in _places(sections, generated)}.items():
        goal = target / place
        kept.add(goal)
        if not goal.exists() or not filecmp.cmp(origin, goal, shallow=False):
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin, goal)
            copied.append(place)
    if any(place.suffix not in _PAGES for place in copied):
        # The builder looks at pages only: a changed style sheet or extension would otherwise not arrive.
        for page in kept:
            if page.suffix in _PAGES:
                page.touch()
    for stale in [path for path in target.rglob("*") if path.is_file() and path not in kept]:
        stale.unlink()
    return copied


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m paper_book.build", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    book = commands.add_parser("book", help="check the source, execute what changed, build")
    book.add_argument("--source", default="embedded")
    laid = commands.add_parser("assemble", help="lay the book's source together")
    for name in ("sections", "generated", "target"):
        laid.add_argument(name, type=Path)
    parts = commands.add_parser("generated", help="write the generated parts of pages")
    parts.add_argument("folder", type=Path)
    parts.add_argument("--source", default="embedded", help="own runs have a first page of their own")
    given = parser.parse_args(arguments)
    try:
        if given.command == "book":
            build(given.source)
            sys.stdout.write(
                f"The book is built; its first page is {Path('_build/html/index.html').resolve()}\n"
            )
        elif given.command == "generated":
            from paper_book.generated import write

            write(given.folder, parse_source(given.source))
        else:
            assemble(given.sections, given.generated, given.target)
    except (BuildError, SectionError, OSError) as error:
        sys.stderr.write(CREDENTIALS.sub("://", f"{error}\n"))
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on with what is missing\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
