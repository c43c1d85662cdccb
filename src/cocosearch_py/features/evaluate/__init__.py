"""Search quality, measured on questions from the caller's own folder, and weights fitted to it."""
