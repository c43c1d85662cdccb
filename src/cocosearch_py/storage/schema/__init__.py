"""Schema of the database: the fact tables, declared once each, and the partitions of an index."""
