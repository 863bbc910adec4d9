"""What people and auditors read, derived from a record: bundle, seal, explanations and reports.

Everything here is a function of a record and its journal's entries; no file is written, no clock is read. `bundle`
makes the evidence, `check` examines somebody else's, `seal` locates damage, `explain` says how a verdict follows,
`report` writes it all out, and `quotations` keeps the words of models and people from passing for ours.
"""
