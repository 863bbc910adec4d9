"""Results of workshops as plain data, made up by rolling dice under the rules: what a session file is exported from.

    play = Play(seed=7, strategy="debate").run()
    export_session(play.result(), play.session())

A play keeps the rules as far as a session file can show them (stages, votes, life cycles, topics, the next action), and
knows nothing of the code that writes or checks the file.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from quorate.protocols.workshop.rules.lives import Trigger
from quorate.protocols.workshop.rules.next_action import Action, Closed, ConcludeOn, Conditions, next_action
from tests.protocols.workshop.audit.session_words import (
    BEGAN,
    LEVELS,
    MAKES,
    ROLES,
    STAGES,
    THINGS,
    asks_of,
    fields_of,
    iso,
    metrics_of,
    new_artifact,
    new_position,
    new_round,
    new_topic,
    settings_of,
    sides_of,
)

Data = dict[str, Any]


class Play:
    """One workshop, rolled."""

    def __init__(
        self,
        seed: int = 1,
        *,
        strategy: str = "consensus-driven",
        workflow: str = "specs",
        people: int = 4,
        topics: int = 3,
        most: int = 12,
        absences: float = 0.0,
        stops_after: int = 99,
    ) -> None:
        self.chance = random.Random(f"{seed} {strategy} {workflow}")
        self.strategy, self.workflow, self.absences, self.stops_after = strategy, workflow, absences, stops_after
        self.people = list(ROLES[:people])
        self.sides = sides_of(self.people) if strategy == "debate" else {}
        self.settings = settings_of(workflow, strategy, most)
        self.agenda = [new_topic(number, MAKES[workflow]) for number in range(1, topics + 1)]
        self.artifacts: list[Data] = []
        self.rounds: list[Data] = []
        self.asks: list[Data] = []
        self.since: dict[str, int] = {}
        """The round that counts as the first of each conflict."""
        self.blocked: Counter[str] = Counter()
        self.clock = BEGAN
        self.scene = 0
        self.focus: Data | None = None
        self.closed_by = ""

    def run(self) -> Play:
        """Hold rounds until the rule concludes, or until it is left."""
        while not self.closed_by and len(self.rounds) < self.stops_after:
            self._hold()
        return self

    # What a file is made of

    def result(self) -> Data:
        done = self._finished() and not self._conflicts()
        return {
            "topic": "Checkout of a small web shop",
            "workflow": self.workflow,
            "strategy": self.strategy,
            "participants": self.people,
            "sides": self.sides,
            "verdict": ("COMPLETE" if done else "INCOMPLETE") if self.closed_by else "",
            "closed_by": self.closed_by,
            "degradation": "",
            "agenda": self.agenda,
            "artifacts": self.artifacts,
            "rounds": self.rounds,
            "metrics": metrics_of(self.artifacts, self.agenda, self.rounds),
            "warnings": [],
        }

    def session(self) -> Data:
        last = iso(self.clock)
        closed = last if self.closed_by else ""
        times = {"started_at": iso(BEGAN), "updated_at": last, "closed_at": closed}
        return {"id": f"20260101-{self.workflow}-checkout", **times, "settings": self.settings}

    # One round

    def _hold(self) -> None:
        number, stage = len(self.rounds) + 1, STAGES[self.strategy][self.scene]
        if self.focus is None:
            left = [topic for topic in self.agenda if topic["status"] != "closed"] or self.agenda
            self.focus = next((topic for topic in left if topic["critical"]), left[0])
        topic = self.focus
        drafts = [each for each in self._live(topic) if each["agreement"] == "draft"]
        self.round: Data = new_round(number, topic, stage, self.clock) | {
            "positions": self._positions(drafts if stage == "convergence" else []),
            "tokens": self.chance.randint(2_000, 9_000),
        }
        self.clock += 90_000
        self.round["absent"] = [name for name in self.people if name not in self._spoke()]
        self.rounds.append(self.round)
        self._vote(drafts if stage == "convergence" else [])
        self._synthesise(topic)
        self.asks += asks_of(self.round, self.rounds[:-1])
        back = stage == "convergence" and any(
            self.blocked[each["id"]] == 1 and each["agreement"] == "draft" for each in self._live(topic)
        )
        self._move_on(topic, back=back)

    def _spoke(self) -> list[str]:
        return [each["participant"] for each in self.round["positions"]]

    def _positions(self, drafts: list[Data]) -> list[Data]:
        here = [name for name in self.people if self.chance.random() >= self.absences] or self.people[:1]
        return [self._position(name, drafts) for name in here]

    def _position(self, name: str, drafts: list[Data]) -> Data:
        thing, number = self.chance.choice(THINGS), len(self.rounds) + 1
        stances = {}
        for draft in drafts:
            stance = self.chance.choice(("SUPPORT", "SUPPORT", "SUPPORT", "STAND_ASIDE", "BLOCK"))
            change = "Name the limit." if stance == "BLOCK" and self.chance.random() < 0.8 else ""
            stances[draft["id"]] = {"stance": stance, "reason": f"Seen from {name}.", "minimum_change": change}
        sure = self.chance.choice((55, 70, 80, 90, 90, 50, 49))
        return new_position(name, number, thing, sure) | {"side": self.sides.get(name, ""), "stances": stances}

    def _vote(self, drafts: list[Data]) -> None:
        for draft in drafts:
            votes = [each["stances"][draft["id"]] for each in self.round["positions"]]
            if any(each["stance"] == "BLOCK" and each["minimum_change"] for each in votes):
                self.blocked[draft["id"]] += 1
                if self.blocked[draft["id"]] == 2:
                    draft["agreement"] = "conflict"
                    self._conflict(draft["topic_id"], f"{draft['id']} is blocked", overdue=True)
            elif any(each["stance"] == "SUPPORT" for each in votes):
                draft["agreement"] = "consensus"

    # The synthesis

    def _synthesise(self, topic: Data) -> None:
        number = self.round["round"]
        for each in [each for each in self._live() if each["created_round"] < number]:
            self._happen(each, self.chance.random())
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            self._make(self.chance.choice(MAKES[self.workflow]), topic["topic_id"])
        if self.chance.random() < 0.2:
            self._issue("OQ", topic["topic_id"], {"description": "Who answers for this?", "blocking": False})
        if self.chance.random() < 0.15:
            self._conflict(topic["topic_id"], "Two positions exclude each other", overdue=False)
        for each in self.artifacts:
            if each["fields"].get("description", "").endswith(" is blocked"):
                continue  # only a person settles that (W19)
            if each["status"] == "open" and each["created_round"] < number and self.chance.random() < 0.4:
                self._resolve(each, "consensus")
        for criterion in topic["criteria"]:
            if not criterion["met"] and self.chance.random() < 0.6:
                criterion |= {"met": True, "round": number}
                topic["coverage"].append(criterion["text"])

    def _happen(self, artifact: Data, roll: float) -> None:
        """Amend, revert, supersede or withdraw, rarely; what is agreed upon in a closed topic is left alone."""
        if any(topic["status"] == "closed" and topic["topic_id"] == artifact["topic_id"] for topic in self.agenda):
            return
        number, consent = self.round["round"], self.strategy == "consensus-driven"
        if roll < 0.12:
            old = artifact["title"]
            artifact["title"] = f"{old} (again)"
            artifact["status"] = "amended"
            artifact["agreement"] = (
                "conflict" if artifact["agreement"] == "conflict" else "draft" if consent else "consensus"
            )
            change = {"title": {"changed_from": old, "changed_to": artifact["title"]}}
            entry = {"round": number, "summary": "Said more plainly.", "changes": change, "reverted": False}
            artifact["amendments"].append({**entry, "proposed_by": self._spoke()[0], "supported_by": self._spoke()})
        elif roll < 0.18 and artifact["status"] == "amended":
            artifact["amendments"][-1]["reverted"] = True
            artifact["title"] = artifact["amendments"][-1]["changes"]["title"]["changed_from"]
            artifact["status"] = "active"
        elif roll < 0.21 and artifact["agreement"] != "conflict":
            heir = self._make(artifact["type"], artifact["topic_id"])
            artifact |= {"status": "superseded", "superseded_by": heir["id"]}
            heir["supersedes"] = [artifact["id"]]
        elif roll < 0.24 and artifact["agreement"] != "conflict":
            artifact |= {"status": "withdrawn", "withdrawn_because": "Nobody needs it any more."}
        else:
            return
        self.round["artifacts_amended"].append(artifact["id"])

    def _make(self, kind: str, topic_id: str) -> Data:
        ids = {each: [made["id"] for made in self.artifacts if made["type"] == each] for each in ("IDEA", "RISK")}
        level, thing = self.chance.choice(LEVELS), self.chance.choice(THINGS)
        fields = fields_of(kind, thing, level, ids["IDEA"], ids["RISK"])
        agreement = "draft" if self.strategy == "consensus-driven" else self.chance.choice(("consensus", "draft"))
        return self._issue(kind, topic_id, fields, agreement, thing.capitalize())

    def _issue(self, kind: str, topic_id: str, fields: Data, agreement: str = "draft", title: str = "") -> Data:
        count = sum(each["type"] == kind for each in self.artifacts) + 1
        made = new_artifact(f"{kind}-{count:03}", kind, title or fields["description"], fields) | {
            "agreement": agreement,
            "created_round": self.round["round"],
            "topic_id": topic_id,
            "proposed_by": self._spoke()[0],
            "supported_by": self._spoke(),
        }
        self.artifacts.append(made)
        self.round["artifacts_created"].append(made["id"])
        return made

    def _conflict(self, topic_id: str, text: str, *, overdue: bool) -> None:
        said = [
            {"participant": each["participant"], "stance": each["position"], "rationale": each["rationale"][0]}
            for each in self.round["positions"][:2]
        ]
        made = self._issue("CONF", topic_id, {"description": text, "positions": said})
        self.since[made["id"]] = self.round["round"] - (2 if overdue else 0)

    def _resolve(self, matter: Data, method: str) -> None:
        number = self.round["round"]
        matter |= {"status": "resolved", "resolution": "It is settled.", "resolution_method": method}
        matter["resolved_round"] = number
        self.round["artifacts_resolved"].append(matter["id"])
        self.round["key_decisions"].append("It is settled.")
        for each in self.artifacts:
            if matter["fields"]["description"].startswith(f"{each['id']} is blocked") and each["status"] in (
                "active",
                "amended",
            ):
                each["agreement"] = "consensus"

    # What comes next

    def _live(self, topic: Data | None = None) -> list[Data]:
        live = [each for each in self.artifacts if each["status"] in ("active", "amended")]
        return [each for each in live if topic is None or each["topic_id"] == topic["topic_id"]]

    def _conflicts(self) -> list[Data]:
        return [each for each in self.artifacts if each["type"] == "CONF" and each["status"] == "open"]

    def _finished(self) -> bool:
        return all(topic["status"] == "closed" for topic in self.agenda)

    def _move_on(self, focus: Data, *, back: bool) -> None:
        number, last = self.round["round"], len(STAGES[self.strategy]) - 1
        over = self.scene == last and not back
        self._close_topics(focus, over=over)
        action, row = self._next(heard=False)
        self.round |= {"next_action": action.value, "because": f"row {row + 1} of the rule"}
        if action is Action.ESCALATE:
            choice = self.chance.choice(("accept", "decide", "go_on"))
            put = self._conflicts()
            named = [each["id"] for each in put]
            self.round["escalation"] = {"choice": choice, "decision": "", "reason": "Enough said.", "conflicts": named}
            for each in put:
                if choice == "go_on":
                    self.since[each["id"]] = number + 1
                else:
                    self._resolve(each, "person")
            self._close_topics(focus, over=over)
            action, _ = self._next(heard=True)
        if action is Action.CONCLUDE:
            done = self._finished() and not self._conflicts()
            self.closed_by = (Trigger.AGENDA_CLOSED if done else Trigger.MAX_ROUNDS).value
        self._count()
        if over:
            self.focus = None
        self.scene = 0 if over else self.scene - 1 if back else self.scene + 1

    def _next(self, *, heard: bool) -> tuple[Action, int]:
        number = self.round["round"]
        unsure = any(each["confidence"] < 50 for each in self.round["positions"]) and self.focus_is_required()
        old = any(number - self.since[each["id"]] + 1 >= 3 for each in self._conflicts())
        still = [topic for topic in self.agenda if topic["status"] != "closed"]
        closed = Closed.NOT_ALL_REQUIRED if any(topic["critical"] for topic in still) else Closed.REQUIRED
        return next_action(
            Conditions(
                at_maximum=number >= self.settings["max_rounds"],
                under_minimum=number < 3,
                triggered=not heard and (unsure or old),
                sent_on=False,
                closed=closed if still else Closed.ALL,
                barred=bool(self._conflicts()),
                conclude_on=ConcludeOn.ALL,
            )
        )

    def focus_is_required(self) -> bool:
        return self.focus is not None and bool(self.focus["critical"])

    def _count(self) -> None:
        for topic in self.agenda:
            agreed = [each for each in self._live(topic) if each["agreement"] == "consensus"]
            topic["counted"] = sum(each["type"] in topic["counts"] for each in agreed)

    def _close_topics(self, focus: Data, *, over: bool) -> None:
        self._count()
        for topic in self.agenda:
            held_up = any(each["topic_id"] == topic["topic_id"] for each in self._conflicts())
            complete = all(each["met"] for each in topic["criteria"]) and topic["counted"] >= topic["minimum"]
            if complete and not held_up and (over or topic is not focus):
                topic["status"] = "closed"
            elif topic["status"] == "open" and (topic["coverage"] or topic["counted"]):
                topic["status"] = "partial"
