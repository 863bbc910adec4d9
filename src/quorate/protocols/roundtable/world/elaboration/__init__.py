"""Reads the folder of an elaboration, and says how its documents and meta.json grow without losing a byte."""
