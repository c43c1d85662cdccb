"""The tools, one module per toolset."""
