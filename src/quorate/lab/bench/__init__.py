"""The bench: tasks of known truth, decided by protocols and by plain methods, with their accuracy and cost.

Read `task` first (what is asked, and what is right), then `tasks` (where tasks come from), `methods` (who answers),
`cells` and `bench` (one method on one task, and all of them), `figures` (what the counts allow to say). `corpus` and
`review_bench` are changes with planted faults, and those who review them. `ballots` and `redecision` take what others
have recorded and decide it again under our rules.
"""
