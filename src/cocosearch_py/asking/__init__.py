"""Answers questions about code by looking things up: what a question asks, which names it links, which steps follow."""
