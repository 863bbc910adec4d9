"""Operations routes: liveness, readiness and metrics.

Probes have no token, so the first two are open; the reasons for not being ready need the read scope.
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
    """Return the checks of a server: its store answers, and its host drives sessions."""

    async def minding() -> None:
        if not host.minding:
            raise StoreError("sessions are no longer being driven; restart the server")

    return Readiness({"store": store_answers(host.journal), "host": minding})


@router.get(HEALTH)
async def healthz() -> Response:
    """Liveness: the process runs and its event loop answers."""
    return document({"alive": True})


@router.get(READY)
async def readyz(request: Request) -> Response:
    """Readiness: 503 while the store cannot be reached or the host does not run."""
    readiness: Readiness = request.app.state.readiness
    standing = await readiness.look()
    allowed: Scope = request.scope[ALLOWED]
    return document(standing.data(why=allowed.allows(Scope.READ)), 200 if standing.ready else 503)


@router.get(METRICS)
async def metrics(request: Request, desk: AtDesk) -> Response:
    """Prometheus metrics of this process, if they are enabled."""
    from quorate.watching.process import watching

    found = watching(desk.workspace.config.watch).metrics
    if found is None:
        return problem(404, "metrics are off", expected="`quorate serve --metrics`, or watch.metrics in quorate.yaml")
    kind, text = found.text()
    return Response(text, media_type=kind)
