"""Breaks of what was disputed, agreed and concluded: words nobody said, support nobody gave, ends that were none."""

from __future__ import annotations

from collections.abc import Iterator

from tests.protocols.workshop.audit.session_breaks import Break, File, artifact


def _resolved(file: File) -> Iterator[tuple[str, File]]:
    """The conflicts that were resolved in a later round than their own, by others than a person."""
    for key, entry in file["artifacts"]["conflicts"].items():
        if (entry["resolved_round"] or 0) > entry["created_round"] and entry["resolution_method"] != "person":
            yield f"artifacts.conflicts.{key}", entry


def raise_conflict(file: File) -> tuple[str, File]:
    """Let a participant have raised a conflict of the file, by contesting something; the file stays a good one."""
    path, entry = next(_resolved(file))
    group, key = next(
        (entries, key)
        for entries in file["artifacts"].values()
        for key, each in entries.items()
        if each.get("agreement") and each["created_round"] <= entry["created_round"]
    )
    who = entry["positions"][0]["participant"]
    file["rounds"][entry["created_round"] - 1]["participant_positions"][who]["contested"] = [key]
    group[key]["contested_by"] = [who]
    entry |= {"title": f"{key} is contested", "description": f"{key} is contested: {group[key]['title']}"}
    return path, entry


def decided_over_a_participant(file: File) -> str:
    path, entry = raise_conflict(file)
    entry["resolution_method"] = "facilitator_decision"
    return f"{path}.resolution_method"


def settled_at_once(file: File) -> str:
    path, entry = raise_conflict(file)
    before, entry["resolved_round"] = entry["resolved_round"], entry["created_round"]
    key = path.rpartition(".")[2]
    file["rounds"][before - 1]["artifacts_resolved"].remove(key)
    file["rounds"][entry["created_round"] - 1]["artifacts_resolved"].append(key)
    return f"{path}.resolved_round"


def blocked_and_outvoted(file: File) -> str:
    """A draft that was blocked is a person's to settle."""
    for key, entry in file["artifacts"]["conflicts"].items():
        if entry["title"].endswith(" is blocked") and entry["status"] == "resolved":
            assert entry["resolution_method"] == "person"
            entry["resolution_method"] = "majority"
            return f"artifacts.conflicts.{key}.resolution_method"
    raise AssertionError("nothing was blocked twice")


def invented(file: File) -> str:
    path, entry = artifact(file, type="CONF")
    entry["positions"][0]["stance"] = "Words that nobody said."
    return f"{path}.positions[0].stance"


def quotes_the_absent(file: File) -> str:
    path, entry = artifact(file, type="CONF")
    each = file["rounds"][entry["created_round"] - 1]
    each["absent"].append(entry["positions"][0]["participant"])
    del each["participant_positions"][entry["positions"][0]["participant"]]
    return f"{path}.positions[0].participant"


def unlisted_resolution(file: File) -> str:
    path, entry = next(_resolved(file))
    file["rounds"][entry["resolved_round"] - 1]["artifacts_resolved"].remove(path.rpartition(".")[2])
    return f"{path}.resolved_round"


def _agreed(file: File) -> tuple[str, File]:
    """Something new that was agreed upon and nothing has happened to since."""
    changed = {key for each in file["rounds"] for key in each["artifacts_amended"]}
    for group, entries in file["artifacts"].items():
        for key, entry in entries.items():
            if entry.get("agreement") == "consensus" and not entry["amendments"] and key not in changed:
                return f"artifacts.{group}.{key}.supported_by", entry
    raise AssertionError("nothing was agreed upon")


def unsupported_majority(file: File) -> str:
    path, entry = _agreed(file)
    entry["supported_by"] = []
    return path


def all_opposed(file: File) -> str:
    path, entry = _agreed(file)
    entry["opposed_by"], entry["supported_by"] = entry["supported_by"], []
    return path


def minority(file: File) -> str:
    """One of five, all as sure as each other."""
    path, entry = _agreed(file)
    for position in file["rounds"][entry["created_round"] - 1]["participant_positions"].values():
        position["confidence"] = 0.9
    entry["supported_by"] = entry["supported_by"][:1]
    file["settings"]["threshold"] = 60
    return path


# How it ended


def complete(file: File) -> File:
    """Let the session have come to everything that it needed; a good file where the last round concludes."""
    file |= {"verdict": "COMPLETE", "closed_by": "agenda closed"}
    for topic in file["agenda"]:
        topic |= {"status": "closed", "minimum": 0, "closed_round": len(file["rounds"])}
        topic["criteria"] = [{**each, "met": True, "round": each["round"] or 1} for each in topic["criteria"]]
    for conflict in file["artifacts"]["conflicts"].values():
        conflict["status"] = "resolved"
    return file


def ends_as(verdict: str, closed_by: str) -> Break:
    def broken(file: File) -> str:
        complete(file)
        file |= {"verdict": verdict, "closed_by": closed_by}
        return "verdict"

    return broken


def lost_its_minimum(file: File) -> str:
    """A topic that has fewer agreed artifacts than it needs, whatever has happened to them."""
    topic = complete(file)["agenda"][0]
    topic["minimum"] = topic["counted"] + 1
    return "agenda[0].counted"


def left_partial(file: File) -> str:
    complete(file)["agenda"][0]["status"] = "partial"
    return "agenda[0].status"


def left_in_conflict(file: File) -> str:
    path, entry = artifact(complete(file), type="CONF")
    entry["status"] = "open"
    return f"{path}.status"
