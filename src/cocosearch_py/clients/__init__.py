"""Configuration of agent clients: where each keeps it, what our entry looks like, and how it is merged in."""
