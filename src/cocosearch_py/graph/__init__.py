"""Dependencies in an index: between files by imports, between definitions by references to their names."""
