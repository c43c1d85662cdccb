"""Indexes of folders: the runs that build them, their state, and the reason why a file is in an index."""
