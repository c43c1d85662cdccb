"""Uses of definitions: references, calls, types in signatures, tests."""
