"""Tables of a page: frames, comparisons, and the paper's tables in their own layout."""
