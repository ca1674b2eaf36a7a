"""Settings that all tests share."""

from hypothesis import settings

# A slow machine is no fault of the code, and the same examples are drawn everywhere.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")
