"""The seat of the workshop that code holds: the clerk, who reads the agenda and looks for critical words (W1)."""

from quorate.protocols.workshop.world.seats.clerk import clerk

__all__ = ["clerk"]
