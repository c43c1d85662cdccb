"""Edits of files: change, create, list changes, undo them."""
