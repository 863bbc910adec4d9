"""The seat of the workshop that code holds: the clerk, who reads the agenda and looks for critical words (W1)."""

from quorate.participants.workshop.clerk import clerk

__all__ = ["clerk"]
