"""What keeps secrets in and instructions out: masks, fences, hidden text, text that speaks to its readers."""
