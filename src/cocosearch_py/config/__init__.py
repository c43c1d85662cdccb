"""Settings: where they come from, what they may be, where each value was set. Holds no feature."""
