"""The exam: whether a model can judge, measured on items of our own before it votes on anything.

Read paper.py (what is asked), candidate.py (how a model sits it), scores.py (what its answers come to), results.py
(what is kept) and clean_changes.py (when to flag a change). A protocol brings its paper in the folder `exam` that its
definition names.
"""
