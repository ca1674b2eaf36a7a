"""What is asked or labelled after a run is recorded: probes, annotation, and their results beside the run."""
