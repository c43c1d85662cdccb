"""The MCP server: tools over stdio, SSE and streamable HTTP. The only place that knows FastMCP."""
