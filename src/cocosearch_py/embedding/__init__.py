"""Texts to vectors: the bundled static table, fastembed models and embedding endpoints."""
