"""One episode: the loop, its conversation, and what stops it."""
