"""The tables of the queue are those that the installed version of its library works with."""

from hashlib import sha256

import psycopg
from procrastinate.schema import SchemaManager

DIGEST = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"


def test_the_library_has_the_schema_that_migrations_were_written_for() -> None:
    """If it has not: raise its range in pyproject.toml, add a migration with the library's own, and set DIGEST anew."""
    assert sha256(SchemaManager.get_schema().encode()).hexdigest() == DIGEST


def test_the_queue_has_a_schema_of_its_own(database_url: str) -> None:
    query = (
        "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relname LIKE 'procrastinate%' AND c.relkind = 'r'"
    )
    with psycopg.connect(database_url) as conn:
        assert {row[0] for row in conn.execute(query)} == {"cocosearch_jobs"}
