"""For those who run the server: whether it lives, whether it is ready, and what it counts.

Probes have no token, so anybody may ask the first two; why it is not ready is told to those who may read.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from quorate.api.host import Host
from quorate.core.errors import StoreError
from quorate.http.access import Scope
from quorate.http.desk import AtDesk
from quorate.http.documents import document
from quorate.http.gate import ALLOWED, HEALTH, METRICS, READY
from quorate.http.problems import problem
from quorate.watching.readiness import Readiness, store_answers

router = APIRouter(include_in_schema=False)


def readiness_of(host: Host) -> Readiness:
    """Return the checks of a server: its store answers, and its host looks after sessions."""

    async def minding() -> None:
        if not host.minding:
            raise StoreError("does not look after its sessions; start the server again")

    return Readiness({"store": store_answers(host.journal), "host": minding})


@router.get(HEALTH)
async def healthz() -> Response:
    """The process lives, and its loop turns."""
    return document({"alive": True})


@router.get(READY)
async def readyz(request: Request) -> Response:
    """503 while the store cannot be reached, or nobody looks after its sessions."""
    readiness: Readiness = request.app.state.readiness
    standing = await readiness.look()
    allowed: Scope = request.scope[ALLOWED]
    return document(standing.data(why=allowed.allows(Scope.READ)), 200 if standing.ready else 503)


@router.get(METRICS)
async def metrics(request: Request, desk: AtDesk) -> Response:
    """What this process counts, for Prometheus; only where it was asked to count."""
    from quorate.watching.process import watching

    found = watching(desk.workspace.config.watch).metrics
    if found is None:
        return problem(
            404, "nothing is counted here", expected="`quorate serve --metrics`, or watch.metrics in quorate.yaml"
        )
    kind, text = found.text()
    return Response(text, media_type=kind)
