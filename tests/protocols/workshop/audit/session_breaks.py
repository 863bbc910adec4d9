"""Session files to be broken in one place: good ones of every strategy, and the breaks.

A break takes a good file, spoils one thing and returns the path at which a check has to say so.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

from quorate.protocols.workshop.audit import Problem, dumps, examine, export_session
from tests.protocols.workshop.audit.session_files import Play

File = dict[str, Any]
Break = Callable[[File], str]


@cache
def _plays() -> dict[str, Play]:
    """One workshop for each strategy, with everything in it that a break needs."""
    wanted = {"amended", "superseded", "withdrawn", "resolved", "open", "active"}
    found: dict[str, Play] = {}
    for strategy, flow in (
        ("consensus-driven", "specs"),
        ("debate", "design"),
        ("disney", "brainstorm"),
        ("six-hats", "open"),
        ("standard", "specs"),
    ):
        plays = (Play(seed, strategy=strategy, workflow=flow, people=5, most=9).run() for seed in range(500))
        found[strategy] = next(
            play
            for play in plays
            if wanted <= {each["status"] for each in play.artifacts}
            and any(each["type"] == "CONF" and each["status"] == "resolved" for each in play.artifacts)
            and any(each["agreement"] == "consensus" for each in play.artifacts)
            and any(each["status"] == "closed" for each in play.agenda)
        )
    return found


def good(strategy: str = "consensus-driven") -> tuple[File, File]:
    """A file that Quorate wrote, and its dumps, for the taking."""
    play = _plays()[strategy]
    made = export_session(play.result(), play.session())
    return copy.deepcopy((made, dumps(play.result(), play.session(), play.asks)))


def problems(file: File, of_rounds: File | None = None) -> tuple[Problem, ...]:
    return examine(file, of_rounds).problems


# Places


def at(file: File, path: str) -> tuple[Any, Any]:
    """What holds the last part of a path, and that part."""
    parts: list[str | int] = []
    for part in path.split("."):
        name, *places = part.replace("]", "").split("[")
        parts += [name, *map(int, places)]
    here: Any = file
    for each in parts[:-1]:
        here = here[each]
    return here, parts[-1]


def put(path: str, value: Any) -> Break:
    def broken(file: File) -> str:
        home, name = at(file, path)
        assert home[name] != value, "a break has to break something"
        home[name] = value
        return f"{path}[0]" if value and isinstance(value, list) else path

    return broken


def drop(path: str) -> Break:
    def broken(file: File) -> str:
        home, name = at(file, path)
        del home[name]
        return path

    return broken


def artifact(file: File, **wanted: str) -> tuple[str, File]:
    """The path and the entry of the first artifact that has these values; `type` is the beginning of its id."""
    kind = wanted.pop("type", "")
    for group, entries in file["artifacts"].items():
        for key, entry in entries.items():
            if key.startswith(kind) and all(entry.get(name) == value for name, value in wanted.items()):
                return f"artifacts.{group}.{key}", entry
    raise AssertionError(f"no artifact with {wanted}")


def of(field: str, value: Any, **wanted: str) -> Break:
    """Set a field of the first artifact that has these values."""

    def broken(file: File) -> str:
        path, entry = artifact(file, **wanted)
        entry[field] = value
        return f"{path}.{field}[0]" if isinstance(value, list) else f"{path}.{field}"

    return broken


def rename_artifact(file: File) -> str:
    group = file["artifacts"]["requirements"] or file["artifacts"]["business_rules"]
    name = next(reversed(group))
    group["REQ-1"] = group.pop(name)
    return next(f"artifacts.{name}.REQ-1" for name, group in file["artifacts"].items() if "REQ-1" in group)


def gap(file: File) -> str:
    """Take the first exclusion's number away."""
    group = next(group for group in file["artifacts"].values() if len(group) > 1)
    first = next(iter(group))
    kind = first.split("-")[0]
    group[f"{kind}-099"] = group.pop(first)
    path = next(name for name, entries in file["artifacts"].items() if entries is group)
    for each in file["rounds"]:
        for name in ("artifacts_created", "artifacts_amended"):
            each[name] = [f"{kind}-099" if key == first else key for key in each[name]]
    # The lowest number that is left stands where 001 should.
    return f"artifacts.{path}.{min(group)}"


def twice(file: File) -> str:
    """Issue an id in two maps."""
    path, entry = artifact(file, status="active")
    key = path.rpartition(".")[2]
    group = next(name for name in file["artifacts"] if name not in path)
    file["artifacts"][group][key] = copy.deepcopy(entry)
    later = [name for name in file["artifacts"] if key in file["artifacts"][name]][-1]
    return f"artifacts.{later}.{key}"


def made_again(file: File) -> str:
    rounds = file["rounds"]
    first = next(index for index, each in enumerate(rounds[:-1]) if each["artifacts_created"])
    rounds[-1]["artifacts_created"].append(rounds[first]["artifacts_created"][0])
    return f"rounds[{len(rounds) - 1}].artifacts_created[{len(rounds[-1]['artifacts_created']) - 1}]"


def unmade(file: File) -> str:
    path, _ = artifact(file, status="active")
    key = path.rpartition(".")[2]
    for each in file["rounds"]:
        if key in each["artifacts_created"]:
            each["artifacts_created"].remove(key)
    return path


def unlisted_amendment(file: File) -> str:
    path, entry = artifact(file, status="amended")
    key = path.rpartition(".")[2]
    file["rounds"][entry["amendments"][0]["round"] - 1]["artifacts_amended"].remove(key)
    return f"{path}.amendments[0].round"


def names_itself(file: File) -> str:
    path, entry = artifact(file, status="superseded")
    entry["superseded_by"] = path.rpartition(".")[2]
    return f"{path}.superseded_by"


def position_of_a_stranger(file: File) -> str:
    positions = file["rounds"][0]["participant_positions"]
    positions["qa-leed"] = positions["qa-lead"]
    return "rounds[0].participant_positions.qa-leed"


def swap_rounds(file: File) -> str:
    file["rounds"][1]["round"], file["rounds"][2]["round"] = 3, 2
    return "rounds[1].round"


def silent(file: File) -> str:
    del file["rounds"][1]["participant_positions"]["qa-lead"]
    return "rounds[1].participant_positions"


def unamended(file: File) -> str:
    path, entry = artifact(file, status="amended")
    entry["amendments"] = []
    return f"{path}.status"


def reverted(file: File) -> str:
    path, entry = artifact(file, status="amended")
    entry["amendments"][-1]["reverted"] = True
    return f"{path}.status"


def amended_before_it_was(file: File) -> str:
    path, entry = artifact(file, status="amended")
    entry["amendments"][0]["round"] = entry["created_round"]
    return f"{path}.amendments[0].round"


def heir(file: File, entry: File) -> File:
    named = entry["superseded_by"]
    return next(group[named] for group in file["artifacts"].values() if named in group)


def heir_denies(file: File) -> str:
    path, entry = artifact(file, status="superseded")
    heir(file, entry)["supersedes"] = ["REQ-000"]
    return f"{path}.superseded_by"


def after_the_end(file: File) -> str:
    path, entry = artifact(file, status="superseded")
    heir(file, entry)["created_round"] = entry["created_round"]
    last = {"round": len(file["rounds"]), "summary": "", "proposed_by": "", "supported_by": [], "changes": {}}
    entry["amendments"].append({**last, "reverted": False})
    return f"{path}.amendments[{len(entry['amendments']) - 1}].round"


def open_but_met(file: File) -> str:
    file["agenda"][0] |= {"status": "open"}
    file["agenda"][0]["criteria"][0] |= {"met": True, "round": 1}
    return "agenda[0].status"


def closed_unmet(file: File) -> str:
    index = next(index for index, each in enumerate(file["agenda"]) if each["status"] == "closed")
    file["agenda"][index]["criteria"][1]["met"] = False
    return f"agenda[{index}].criteria[1].met"


def history(file: File) -> str:
    path, entry = artifact(file, status="withdrawn")
    entry["history"] = [{"round": 2, "event": "withdraw"}, {"round": 3, "event": "revert"}]
    return f"{path}.history[1].event"
