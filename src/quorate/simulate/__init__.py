"""Simulation: agents of known accuracy and correlation, and the exact results of their decisions.

Probabilities are `fractions.Fraction` wherever they are rational, so results can be compared with `==`; a function that
returns `float` says why it has to. Read `voters` first (who errs with whom), then `decision_rules` (what a rule makes
of it).
"""
