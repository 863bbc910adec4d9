"""The journal on disk: entries in order, chained by hash, each written once; in memory and in one SQLite file."""
