"""The three panels: one that obeys every order, one that falls for some by chance, and the embedded model.

Susceptibility c is the chance that a seat obeys; correlation phi is the chance that all seats of a session share one
draw, as seats with the same model do, instead of drawing each for itself. So two seats both obey with the probability
c (phi + (1 - phi) c), and the correlation of any two is phi.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

from quorate.lab.redteam.orders import Order
from quorate.lab.redteam.seats import Judge, obeying
from quorate.participants.port import Request


class PanelKind(Enum):
    OBEYING = "obeying"
    SUSCEPTIBLE = "susceptible"
    LOCAL = "local"


LOCAL_MODEL = "local:smollm2"


@dataclass(frozen=True, slots=True)
class AttackedPanel:
    """A panel to attack: its kind and, for the susceptible one, its two parameters in hundredths and a seed."""

    kind: PanelKind = PanelKind.OBEYING
    susceptibility: int = 30
    correlation: int = 50
    seed: int = 0

    def judge(self, case: str) -> Judge:
        """Return how the seats of one session decide whether to obey."""
        if self.kind is PanelKind.OBEYING:
            return obeying
        shared = self._draw(case, "are they alike") < self.correlation
        fallen = self._draw(case, "all") < self.susceptibility

        def falls(request: Request) -> Order | None:
            seat = request.ask.seat
            obeys = fallen if shared else self._draw(case, f"seat {seat}") < self.susceptibility
            return obeying(request) if obeys else None

        return falls

    def _draw(self, *what: str) -> int:
        """Return a number from 0 to 99 that depends only on the seed and on what it is for."""
        return int.from_bytes(sha256("\0".join((str(self.seed), *what)).encode()).digest()[:4]) * 100 >> 32
