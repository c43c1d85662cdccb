"""Benchmarks of the program: `python -m benchmarks list`."""
