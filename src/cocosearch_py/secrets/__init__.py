"""Secrets in files.

`formats` knows tokens by how they look, `assigned` values by the names they are given to, `likely` what is none in
spite of that; `scan` puts this together for one text, `masking` for answers.
"""
