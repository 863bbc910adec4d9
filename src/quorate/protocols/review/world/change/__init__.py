"""Reading a code change from git or a diff: what changed, what is reviewed, what is left out and why."""
