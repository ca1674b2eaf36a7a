"""Runs: one cell (model × condition × split × regimes) at once, on disk as it goes, and read as episodes."""
