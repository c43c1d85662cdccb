"""What a run writes: rows, the leaves they go to, and the order of it all."""
