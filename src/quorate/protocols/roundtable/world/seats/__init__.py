"""The seats of the roundtable that code holds: the reader of turns, and the clerk who keeps what came of them."""
