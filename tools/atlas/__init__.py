"""How the embedded task *atlas* is made; run ``tools/build_atlas.py``."""
