"""The command line: parse, call one `App` method, show the answer. Holds no search, no SQL and no settings rules."""
