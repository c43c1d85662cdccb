"""Runs of indexing of all processes: list, log, cancel."""
