"""The only layer that speaks SQL: schema, embedded server, loading, search statements, statistics.

Statements use psycopg with bound parameters; SQLAlchemy describes the schema for Alembic (docs/adr/0002).
"""
