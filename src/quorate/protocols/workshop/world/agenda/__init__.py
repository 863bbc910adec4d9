"""A workshop's agenda from a user's file: topics, when each is done, and what helps to explore it."""

from quorate.protocols.workshop.world.agenda.read import canonical, read_agenda

__all__ = ["canonical", "read_agenda"]
