"""What the roundtable reads and writes: a folder of documents."""
