"""What can be read by address: how the server is, and of each index its state, figures, log, map, bundle and files."""
