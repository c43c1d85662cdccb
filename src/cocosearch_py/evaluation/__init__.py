"""Search quality on the user's own repository: cases from its history and names, measures, weights tuned to it."""
