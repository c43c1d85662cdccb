"""Definitions and files: found, explained, outlined, summarized and read."""
