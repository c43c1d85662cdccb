"""Resources: the state of the server, and of each index its state, figures, log, map, bundle and files."""
