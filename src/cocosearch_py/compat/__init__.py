"""Tools of other programs, as their documentation has them, answered by ours."""
