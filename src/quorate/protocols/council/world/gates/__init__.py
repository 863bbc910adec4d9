"""The gates that code runs on an RFC and its tickets, and the seats of the council that code holds."""
