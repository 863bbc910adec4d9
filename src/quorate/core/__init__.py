"""The pure core: types, the engine and vote counting. No I/O and no third-party dependencies.

Theory of operation. A protocol is a value: a table `phase -> outcome -> phase`, and for each phase two pure
functions, `asks(state)` and `decide(state, replies)`. `begin` and `step` (engine.py) run any protocol: effects go
out (ask a seat, withdraw an ask, conclude), events come in (a seat replied, somebody interrupted). The journal of
events is the only truth; `replay` of it gives the session again, and `Record` (record.py) is the same journal
folded for people. Read forms.py, types.py and protocol.py first, then engine.py.
"""
