"""Reading an RFC folder: its documents, tickets in any of four shapes, requirements, and the index of the code."""
