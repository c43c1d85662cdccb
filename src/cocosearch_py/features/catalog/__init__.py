"""Indexes: what there is, what is known of each, and what was cleared."""
