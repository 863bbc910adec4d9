"""Triage: what a model's measured answers say of every changed function, before and after the change.

Read functions.py (where functions are), snippets.py (what of a change is asked about), survey.py (how it is asked) and
order.py (what the answers come to). Nothing of it decides anything: it says what to look at first.
"""
