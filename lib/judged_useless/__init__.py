"""Tell whether a tool-using agent stops on its own judgments."""
