"""What the product can do, one operation a file: its arguments, its answer, its work.

The tools of the MCP server, the commands, their JSON Schemas and the pages about them are made from these declarations.
Nothing here knows a protocol or a terminal.
"""
