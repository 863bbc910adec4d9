"""MCP server: lets coding assistants open sessions, disconnect, and come back for the verdict."""
