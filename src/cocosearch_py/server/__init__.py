"""What every front end on a port needs, whatever it speaks: no protocol is known here."""
