"""The book of the paper: its published numbers, registered tests, figures, tables and pages."""
