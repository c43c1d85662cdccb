"""Questions about code, answered with evidence from its graph and its text; no language model takes part."""
