"""Writes of a run: rows, their leaves, and the order of both."""
