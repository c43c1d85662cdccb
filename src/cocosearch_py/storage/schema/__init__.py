"""What is in the database: the fact tables, declared once each, and where an index has its rows."""
