"""Detectors of problems in a repository: code that nobody uses, secrets in files, and copies."""
