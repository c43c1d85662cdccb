"""Indexes as files: bundles that go from one database to another, and texts for people and programs."""
