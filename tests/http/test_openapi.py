"""The interface does what its description says, whatever is sent to it: every operation, valid and invalid requests."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from starlette.types import Receive, Scope, Send

from quorate import api
from quorate.api.host import Host
from quorate.api.proofs import Proofs, rules_digest
from quorate.api.roots import Roots
from quorate.http.access import Access
from quorate.http.app import add_routes, create_app
from quorate.workspace import Workspace
from tests.http.served import GENEROUS, PROBLEM, TOKEN, project

EXAMPLES = 8
"""Random requests for each operation, beside those that go through its description one by one."""
BY_PROTOCOL = ["2xx", "400", "401", "403", "404", "409", "422"]
"""What inputs and settings have to be is said by each protocol's own schema, so a body may be wrong for it. No schema
says of a value of any kind that its texts hold no NUL, which is 400."""


def proven(folder: Path) -> Proofs:
    """Proofs of which that of the debate is there: nothing is to be proven for minutes here."""
    folder.mkdir(exist_ok=True)
    digest = rules_digest("debate")
    report = {"ok": True, "results": [], "profiles": {}}
    (folder / f"{digest}.json").write_text(json.dumps({"digest": digest, "report": report}))
    return Proofs(folder)


class Made:
    """The application, made in the loop that it is first asked in: its store belongs to one loop."""

    def __init__(self) -> None:
        self.workspace: Workspace | None = None
        self.app: FastAPI | None = None
        self.session = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.app is None:
            assert self.workspace is not None
            assert self.workspace.root is not None
            host, roots = Host(self.workspace, self.workspace.open()), Roots((self.workspace.root,))
            proofs = proven(self.workspace.root / ".proofs")
            self.app = create_app(host, Access(TOKEN), roots, limits=GENEROUS, proofs=proofs)
        await self.app(scope, receive, send)

    async def begin(self, folder: Path) -> None:
        """Make a project with a session that has concluded."""
        self.workspace = project(folder)
        journal = self.workspace.open()
        self.session = await api.open_session(self.workspace, journal, "debate", {"problem": PROBLEM}, seed=5)
        await api.run(self.workspace, journal, self.session)
        await journal.close()


MADE = Made()


def interface() -> Any:
    """The interface as it is described, for requests of all kinds."""
    own = {"positive_data_acceptance": {"expected-statuses": BY_PROTOCOL}}
    by_protocol = (
        "POST /api/sessions",
        "POST /api/sessions/{session}/fork",
        "POST /api/sessions/{session}/redecide",
        "POST /api/sessions/{session}/labels",
        "POST /api/protocols/{name}/estimate",
        "GET /api/calibration",
    )
    config = schemathesis.Config.from_dict(
        {
            "seed": 20261116,
            "max-stream-events": 3,
            "request-timeout": 20,
            "generation": {
                "max-examples": EXAMPLES,
                "deterministic": True,
                "database": "none",
            },
            "operations": [{"include-name": name, "checks": own} for name in by_protocol],
        }
    )
    described = FastAPI(title="Quorate", openapi_url=None)
    add_routes(described)
    loaded = schemathesis.openapi.from_dict(described.openapi(), config=config)
    loaded.app = MADE
    return loaded


@pytest.fixture(scope="module", autouse=True)
def _project(tmp_path_factory: pytest.TempPathFactory) -> None:
    asyncio.run(MADE.begin(tmp_path_factory.mktemp("interface")))


@interface().parametrize()  # type: ignore[untyped-decorator]
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_does_what_it_says(case: Any) -> None:
    for name, there in (("session", MADE.session), ("name", "debate"), ("file", "report.md")):
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", str((case.path_parameters or {}).get(name, ""))):
            case.path_parameters[name] = there  # about something that is there; what is no name at all stays
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"})
