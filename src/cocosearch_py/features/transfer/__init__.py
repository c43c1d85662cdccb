"""Indexes as files: bundles for other databases, and formats for other programs."""
