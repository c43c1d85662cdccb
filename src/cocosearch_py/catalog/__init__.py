"""Indexes as things: which one a name or a folder means, how fresh they are, what they hold, how they are deleted."""
