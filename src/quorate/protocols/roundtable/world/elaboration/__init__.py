"""Reads the folder of an elaboration, and extends its documents and meta.json by insertion only."""
