"""Search by meaning, names and exact text; and explanations of a search."""
