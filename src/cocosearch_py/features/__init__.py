"""Features: one folder each, with its tools, its logic, its SQL and its views; no feature imports another."""
