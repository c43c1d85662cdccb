"""Code that nobody uses."""
