"""Fuzz targets: hostile bytes go into every reader of ballots, entries and files, and only our own errors come out.

`python -m fuzzing TARGET|all SECONDS` drives them by coverage with atheris; tests/fuzz drives the same targets with
Hypothesis, so that what one finds the other keeps.
"""
