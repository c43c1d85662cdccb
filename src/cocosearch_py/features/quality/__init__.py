"""Quality of code: complex functions, health of a code base, changed definitions."""
