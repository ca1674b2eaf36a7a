"""The measures of the paper's numbers: what each is on episodes, what it needs, and what would fill it."""
