"""What the review reads and writes: a code change and a git repository."""
