"""What a deliberation was worth: votes that counted, minds that changed, what it cost, how sure one may be."""
