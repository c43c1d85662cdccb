"""How `app.py` joins what does not know each other: services to settings, services to services."""
