"""Work that outlives the call that started it; knows nothing of what the work is."""
