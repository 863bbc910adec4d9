"""Reads an RFC folder, its tickets in any of four shapes, the requirements, and the index of the code they build on."""
