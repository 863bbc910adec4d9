"""Effects out, events in: drives sessions with asyncio, within budgets, writing before anything goes out."""
