"""What the workshop reads and writes: an agenda, documents and session files."""
