"""Looking things up in an index: definitions by name, the outline of a file, what files say; no ranking, no model."""
