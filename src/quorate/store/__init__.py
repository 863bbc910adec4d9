"""Journals on disk: entries in order, chained by hash, each written once; in memory, SQLite or PostgreSQL."""
