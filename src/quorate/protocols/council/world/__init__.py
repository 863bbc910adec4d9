"""What the council reads and writes: an RFC's folder."""
