"""Parts that every front end on a port needs, whatever its protocol."""
