"""The closed vocabularies of a workshop: what it makes, for what, and how far people agree on it."""

from __future__ import annotations

from enum import Enum


class ArtifactType(Enum):
    REQ = "REQ"
    BR = "BR"
    NFR = "NFR"
    EX = "EX"
    OQ = "OQ"
    CONF = "CONF"
    ARCH = "ARCH"
    COMP = "COMP"
    INT = "INT"
    IDEA = "IDEA"
    RISK = "RISK"
    MIT = "MIT"
    RUL = "RUL"

    @property
    def means(self) -> str:
        return _MEANS[self]

    @property
    def is_matter(self) -> bool:
        """It is open or resolved, and never agreed upon (W14)."""
        return self in (ArtifactType.OQ, ArtifactType.CONF, ArtifactType.RUL)


_MEANS = {
    ArtifactType.REQ: "requirement",
    ArtifactType.BR: "business rule",
    ArtifactType.NFR: "non-functional requirement",
    ArtifactType.EX: "exclusion",
    ArtifactType.OQ: "open question",
    ArtifactType.CONF: "conflict",
    ArtifactType.ARCH: "architecture decision",
    ArtifactType.COMP: "component",
    ArtifactType.INT: "interface",
    ArtifactType.IDEA: "idea",
    ArtifactType.RISK: "risk",
    ArtifactType.MIT: "mitigation",
    ArtifactType.RUL: "ruling of a person",
}


class Workflow(Enum):
    """What a workshop is for, and so which artifacts it makes."""

    SPECS = "specs"
    DESIGN = "design"
    BRAINSTORM = "brainstorm"
    OPEN = "open"


MATTERS = (ArtifactType.OQ, ArtifactType.CONF)
"""What a facilitator opens; a ruling is a person's."""
MAKES: dict[Workflow, tuple[ArtifactType, ...]] = {
    Workflow.SPECS: (ArtifactType.REQ, ArtifactType.BR, ArtifactType.NFR, ArtifactType.EX, *MATTERS),
    Workflow.DESIGN: (ArtifactType.ARCH, ArtifactType.COMP, ArtifactType.INT, *MATTERS),
    Workflow.BRAINSTORM: (ArtifactType.IDEA, ArtifactType.RISK, ArtifactType.MIT, *MATTERS),
    Workflow.OPEN: tuple(each for each in ArtifactType if each is not ArtifactType.RUL),
}


class Agreement(Enum):
    CONSENSUS = "consensus"
    DRAFT = "draft"
    CONFLICT = "conflict"


class Side(Enum):
    PRO = "pro"
    CON = "con"
    OBSERVER = "observer"
