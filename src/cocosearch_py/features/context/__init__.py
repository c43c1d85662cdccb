"""The code and its neighbourhood that a task needs, within a token limit."""
