"""Breaks of the course of a session: what came next, who consented, and in which order the stages came."""

from __future__ import annotations

from tests.protocols.workshop.audit.session_breaks import Break, File


def early(file: File) -> str:
    file["rounds"][1]["next_action"] = "conclude"
    del file["rounds"][2:]
    return "rounds[1].next_action"


def goes_on_past_the_end(file: File) -> str:
    file["settings"]["max_rounds"] = len(file["rounds"]) - 1
    return f"rounds[{len(file['rounds']) - 1}]"


def ended_by_agenda(file: File) -> str:
    file["closed_by"] = "agenda closed"
    file["rounds"][-1] |= {"next_action": "continue", "escalation": None}
    return f"rounds[{len(file['rounds']) - 1}].next_action"


def unsure(file: File) -> str:
    """A required topic, confidence just under the limit, and the session goes on."""
    index = calm(file)
    file["rounds"][index]["participant_positions"]["qa-lead"]["confidence"] = 0.49
    return f"rounds[{index}].next_action"


def calm(file: File) -> int:
    """A round in the middle after which the session just goes on; about the required topic, and everybody sure."""
    index = next(
        index
        for index, each in enumerate(file["rounds"][2:-1], 2)
        if each["next_action"] == "continue" and not each["escalation"]
    )
    file["rounds"][index]["topic_id"] = file["agenda"][0]["topic_id"]
    for position in file["rounds"][index]["participant_positions"].values():
        position["confidence"] = 0.9
    return index


def standing_block(file: File) -> str:
    path, _, position = last_vote(file)
    key = path.split(".")[2]
    position["stances"][key] |= {"stance": "BLOCK", "minimum_change": "Name the limit."}
    return path


def last_vote(file: File) -> tuple[str, File, File]:
    """An agreed artifact that was voted on and no person has ruled on, and somebody's position in its last vote."""
    ruled = [each for each in file["artifacts"]["conflicts"].values() if each["resolution_method"] == "person"]
    disputed = {
        each["title"].removesuffix(" is blocked") if each["title"].endswith(" is blocked") else each["topic_id"]
        for each in ruled
    }
    for group, entries in file["artifacts"].items():
        for key, entry in entries.items():
            if entry.get("agreement") != "consensus" or disputed & {entry["topic_id"], key}:
                continue
            for each in reversed(file["rounds"]):
                for position in each["participant_positions"].values():
                    if key in position.get("stances", {}):
                        return f"artifacts.{group}.{key}.agreement", entry, position
    raise AssertionError("nothing was voted on")


def unvoted(file: File) -> str:
    path, _, _ = last_vote(file)
    for each in file["rounds"]:
        for position in each["participant_positions"].values():
            position.get("stances", {}).pop(path.split(".")[2], None)
    return path


def unsupported(file: File) -> str:
    path, _, _ = last_vote(file)
    for each in file["rounds"]:
        for position in each["participant_positions"].values():
            if path.split(".")[2] in position.get("stances", {}):
                position["stances"][path.split(".")[2]]["stance"] = "STAND_ASIDE"
    return path


def groundless(file: File) -> str:
    for index, each in enumerate(file["rounds"]):
        for name, position in each["participant_positions"].items():
            for key, stance in position.get("stances", {}).items():
                if stance["stance"] == "BLOCK":
                    stance["minimum_change"] = "  "
                    return f"rounds[{index}].participant_positions.{name}.stances.{key}.minimum_change"
    raise AssertionError("nobody blocks")


def phases(*names: str) -> Break:
    """Give the first rounds these phases; the last of them is out of order."""

    def broken(file: File) -> str:
        for each, name in zip(file["rounds"], names, strict=False):
            each["phase"] = name
            each["topic_id"] = file["agenda"][0]["topic_id"]
            each["focus"]["id"] = each["topic_id"]
            if "debate_phase" in each:
                each["debate_phase"] = name
        del file["rounds"][len(names) :]
        return f"rounds[{len(names) - 1}].phase"

    return broken
