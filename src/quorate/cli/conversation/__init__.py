"""The conversation of a roundtable at a terminal: everybody is shown as they speak, and the person types."""
