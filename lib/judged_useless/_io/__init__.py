"""Files, paths, seeds and strict JSON: what every room stands on."""
