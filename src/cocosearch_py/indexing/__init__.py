"""From a folder to rows: what changed, what each file becomes, and the run that writes it."""
