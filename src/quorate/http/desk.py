"""Desk: everything the handlers of one server share, such as the host, folded sessions and path roots."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Path, Request

from quorate.api.boards import Boards
from quorate.api.estimate_queue import Estimates
from quorate.api.folds import Folds
from quorate.api.host import Host
from quorate.api.proofs import Proofs
from quorate.api.roots import Roots
from quorate.api.session_list import Listing
from quorate.core.errors import StoreError
from quorate.http.access import Access
from quorate.http.limits import RequestLimits
from quorate.http.streams import Streams
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate.worth.worth import Learnt

MOST_REPORTS = 8
"""Sessions whose reports are kept: writing them takes longest of all."""


@dataclass
class Reports:
    """Cache of recently requested session files, by session and last entry; new labels invalidate it."""

    _kept: OrderedDict[tuple[str, int], tuple[Learnt, dict[str, str]]] = field(default_factory=OrderedDict)

    def get(self, key: tuple[str, int], learnt: Learnt) -> dict[str, str] | None:
        known, written = self._kept.get(key, (None, None))
        return written if known == learnt else None

    def keep(self, key: tuple[str, int], learnt: Learnt, written: dict[str, str]) -> None:
        self._kept[key] = (learnt, written)
        while len(self._kept) > MOST_REPORTS:
            self._kept.popitem(last=False)


@dataclass(frozen=True)
class Desk:
    """The shared state of one server."""

    host: Host
    access: Access
    roots: Roots
    limits: RequestLimits
    folds: Folds
    listing: Listing
    proofs: Proofs
    estimates: Estimates
    streams: Streams
    reports: Reports = field(default_factory=Reports)
    boards: Boards = field(default_factory=Boards)

    @property
    def workspace(self) -> Workspace:
        return self.host.workspace

    @property
    def journal(self) -> Journal:
        return self.host.journal

    async def driven(self, session: str) -> dict[str, bool]:
        """Return whether a session is being driven, and whether by another process."""
        here, elsewhere = session in self.host.running(), False
        if not here:
            with suppress(StoreError):  # a damaged session is driven by nobody
                elsewhere = bool(await self.journal.driver(session))
        return {"running": here or elsewhere, "elsewhere": elsewhere}


def desk_of(request: Request) -> Desk:
    """Return the desk of the server that handles a request."""
    found = request.app.state.desk
    assert isinstance(found, Desk)
    return found


AtDesk = Annotated[Desk, Depends(desk_of)]
SessionId = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$", description="The id of a session, whole."),
]
ProtocolName = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$", description="The name of an installed protocol.")
]
