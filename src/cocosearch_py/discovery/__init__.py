"""Find the files of a folder and look at their content: what to index, what to leave out and why.

Reads no settings and no database; parses nothing.
"""
