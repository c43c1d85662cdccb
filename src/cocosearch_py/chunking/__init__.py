"""Cuts a file into passages at syntax boundaries, or at lines. Knows no language and reads no file."""
