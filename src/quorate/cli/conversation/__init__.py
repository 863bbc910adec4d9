"""Roundtable conversation at a terminal: shows each speaker as they speak, and reads the person's turns."""
