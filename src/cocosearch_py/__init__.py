"""PostgreSQL-backed hybrid code search.

Front ends (`cli`) build one request, call one method of `app.App` and render its answer. See ARCHITECTURE.md.
"""
