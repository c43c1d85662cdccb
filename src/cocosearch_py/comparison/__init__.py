"""Compare the definitions of two versions of a folder."""
