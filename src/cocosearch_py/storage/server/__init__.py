"""The PostgreSQL server and the connections to it: the embedded one's life, the pool, readiness, stopping."""
