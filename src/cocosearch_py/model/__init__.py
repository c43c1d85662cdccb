"""Frozen values that every layer shares. Imports nothing but `errors`; does no work but to redact."""
