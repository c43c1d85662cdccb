"""Audits of a repository, and whether a build may pass with their findings."""
