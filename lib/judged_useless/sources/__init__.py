"""Where episodes come from: embedded, hub, files."""
