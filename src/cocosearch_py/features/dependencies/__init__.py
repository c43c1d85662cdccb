"""Files that import each other: dependencies, impact of changes, graphs, maps."""
