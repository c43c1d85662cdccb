"""What depends on what in an index: files by their imports, definitions by references to their names."""
