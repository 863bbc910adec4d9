"""Version 1 of the workshop: its rules, briefs and templates as they were when it ended.

Nothing here changes any more, and no session begins here. Recorded sessions hold that they are read as they were.
"""
