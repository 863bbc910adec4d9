"""The MCP server: coding assistants open sessions, leave, and come back for the verdict; it translates and no more."""
