"""The session file of a workshop: written from a result, and checked whoever wrote it.

export.py and dumps.py write; validations.py lists the checks, each of which is a few functions in a module of its own.
`kit.untrusted_value` reads hostile data without ever raising, shape.py has the words of the format, read.py says what a
file means.
"""

from quorate.protocols.workshop.audit.dumps import dumps
from quorate.protocols.workshop.audit.export import export_session
from quorate.protocols.workshop.audit.problem import NotChecked, Problem, Severity, Verdict, verdict
from quorate.protocols.workshop.audit.shape import looks_like_session_file
from quorate.protocols.workshop.audit.validations import CHECKS, Examination, Validation, check_session, examine

__all__ = [
    "CHECKS",
    "Examination",
    "NotChecked",
    "Problem",
    "Severity",
    "Validation",
    "Verdict",
    "check_session",
    "dumps",
    "examine",
    "export_session",
    "looks_like_session_file",
    "verdict",
]
