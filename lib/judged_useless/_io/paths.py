"""Where the project's own data lies, in a checkout and in an installed wheel."""

import os
from pathlib import Path

from platformdirs import user_cache_dir

_PACKAGE = Path(__file__).resolve().parents[1]


def data_dir() -> Path:
    """Return the folder that holds ``episodes/``, ``questions/``, ``manifests/`` and more.

    ``_data`` beside the modules when the package was installed from a wheel, otherwise ``data`` of the
    checkout; a FileNotFoundError if neither is there, as when only ``lib/`` was copied.
    """
    for candidate in (_PACKAGE / "_data", _PACKAGE.parents[1] / "data"):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(
        f"the project's data is neither in {_PACKAGE / '_data'} nor in {_PACKAGE.parents[1] / 'data'}; "
        "install the package with `pip install -e .` from a checkout, or from a built wheel"
    )


def cache_dir() -> Path:
    """Return the folder for what is fetched from a hub, which need not exist yet.

    The environment variable ``JUDGED_USELESS_CACHE`` where it is set, else ``judged-useless`` in the user's
    cache folder.
    """
    chosen = os.environ.get("JUDGED_USELESS_CACHE")
    return Path(chosen) if chosen else Path(user_cache_dir("judged-useless", appauthor=False))
