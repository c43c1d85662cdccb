"""What other layers hold of a connection: a handle that they pass on to `storage`."""

import psycopg

Connection = psycopg.Connection
