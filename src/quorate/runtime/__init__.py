"""Drives sessions with asyncio, within budgets. Every event is durable before anything follows from it."""
