"""What several of the book's tests look at and takes long to make."""

import pandas as pd
import pytest
from judged_useless import load_episodes
from paper_book.coverage import recompute_everything


@pytest.fixture(scope="session")
def everything() -> pd.DataFrame:
    """Every published number beside what the embedded cells give; not to be changed in place."""
    return recompute_everything(load_episodes(), n_boot=2000)
