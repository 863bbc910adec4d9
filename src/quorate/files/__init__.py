"""What the user has, read strictly: files become values that remember where each of them stands."""
