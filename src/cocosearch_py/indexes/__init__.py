"""Indexes as things: which one a folder means, what they hold, how they are removed."""
