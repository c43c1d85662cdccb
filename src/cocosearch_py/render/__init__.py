"""Show text, tables and paths on a terminal."""
