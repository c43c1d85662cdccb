"""Changes to files that cannot corrupt them, and the log of all changes."""
