"""Protection against leaked secrets and prompt injection: masks, fences, hidden text, injected instructions."""
