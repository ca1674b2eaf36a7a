"""Episodes: their schema, where they are read from, and their decision points."""
