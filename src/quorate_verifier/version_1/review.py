"""What follows in a review: its rules are R1 to R30."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quorate_verifier.rules import Asked, Heard, Rules, absent, degree, exits, given, leads, numbered, table

SEVERITIES = ("low", "medium", "high", "critical")
NEVER_DEFERRED = ("hard-coded secret", "security hole", "circular dependency")
ADJUDICATOR, DRIVER = "adjudicator", "business-driver"
JUDGEMENTS = ("pass", "insufficient-evidence", "fail")
"""The better ones first (R24)."""
CLAIM_SEVERITY = {"insufficient-evidence": "medium", "fail": "high"}
WHOLE = "F0"
RULE_OF_VETO = {
    **{"none": "correctness", "rule violation": "house-rule", "hard-coded secret": "secret"},
    **{"security hole": "security", "circular dependency": "structure"},
    "undocumented public contract": "public-contract",
}
"""What the item is about that a veto becomes which does not count as one (R8)."""

Item = tuple[str, str]
"""A file's key and a rule: items that agree in both are one (R22)."""


def persona(seat: str) -> str:
    """Return whom a member plays: operations-sre:2 plays operations-sre."""
    return seat.partition(":")[0]


def share(text: str) -> tuple[int, int]:
    """Read a share such as 2/3."""
    part, _, whole = text.partition("/")
    return int(part), int(whole)


class Review(Rules):
    """A committee ballots on a change; vetoes outweigh majorities, and what checks prove outweighs both."""

    table = table("""
        PROPOSAL: EXAMINED, TABLED DEBATE
        DEBATE: CRITICAL_FLAW VETO, CONSENSUS SYNTHESIS, ABSTENTION ABSTAIN
        VETO: AMENDMENT_OFFERED, NO_AMENDMENT, AMENDED PROPOSAL, COMPROMISE DEBATE, IRRECONCILABLE CONCLUSION
        SYNTHESIS: CONFIRMED, AGREED CONCLUSION
        ABSTAIN: CONFIRMED, QUORUM_MET CONCLUSION, REDEBATE DEBATE, NO_QUORUM CONCLUSION
    """)
    interrupts = leads(ABORTED="cancelled", CONCLUSION="budget episodes stall wish")
    ends = frozenset(("CONCLUSION", "ABORTED"))
    initial = "PROPOSAL"
    uncounted = frozenset(("checks",))
    codes = exits(APPROVED=0, REQUEST_CHANGES=1, INCONCLUSIVE=2, ABORTED=3)
    rulings: ClassVar[Mapping[str, tuple[str, ...]]] = {"INCONCLUSIVE": ("APPROVED", "REQUEST_CHANGES")}
    derived = "who ballots, every tally, quorum, vetoes and their lifting, blocking items and claims, and the verdict"
    left_out = ("what the checks find in the change: taken as recorded",)

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.members: list[str] = list(settings["members"])
        self.examined: Mapping[str, Any] | None = None
        self.reported = False
        """Whether the checks were asked, with a result or without."""
        self.round = 1
        self.vetoes: dict[str, tuple[str, int]] = {}
        """By member the class of the veto that stands, and the ballot that it is of."""
        self.compromised = False
        """Whether the ballot under way is on a compromise, so that a veto of before is upheld against it (R18)."""
        self.claims: dict[str, str] = {}
        self.claims_due = self.files = 0
        """Claims that are still to be judged, and files that may be named."""
        self.items: dict[Item, str] = {}
        """The blocking items of the last ballot, with their severity."""
        self.quorate = self.attended = self.balloted = self.opposed = self.everybody = False
        self.step = ""
        """What was done last inside the phase."""
        self.away = False
        """Whether somebody was absent from the last ballot, or from the agreement (R30)."""
        self.outcome = ""

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[Asked]:
        match phase:
            case "PROPOSAL":
                return [("chair", "table")] if self.reported else [("checks", "examine")]
            case "DEBATE":
                files, claims = numbered("F", self.files, 0), numbered("C", self.claims_due)
                ballots = [(each, "ballot", files) for each in self.members]
                return ballots + [(each, "judge", claims) for each in self.members if claims]
            case "VETO" if self.step == "AMENDMENT_OFFERED":
                return [("checks", "apply")]
            case "VETO" if self.step == "NO_AMENDMENT":
                driver = next(each for each in self.members if persona(each) == DRIVER)
                return [(driver, "compromise", numbered("V", len(self.vetoes))), ("chair", "mediate")]
            case "VETO":
                return [("proposer", "amend")] if self.round < self.settings["rounds"] else []
            case "SYNTHESIS" | "ABSTAIN" if phase == "SYNTHESIS" or self.quorate:
                doubted = self.step != "CONFIRMED" and self.settings["confirm_items"] and self.items
                return [("skeptic", "doubt", numbered("I", len(self.items))) if doubted else ("chair", "agree")]
            case _:
                return [("chair", "mediate")] if self._redebate() else []

    def _redebate(self) -> bool:
        return self.round < self.settings["rounds"] and self.opposed and bool(self.settings["redebate"])

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        outcome = self.outcome = {
            "PROPOSAL": self._proposal,
            "DEBATE": self._debate,
            "VETO": self._veto,
        }.get(phase, self._agreement)(heard)
        if outcome in ("COMPROMISE", "AMENDED", "REDEBATE"):
            self.round += 1
            self.compromised = outcome == "COMPROMISE"
        self.step = outcome if self.table[phase][outcome] == phase else ""
        return outcome

    def _proposal(self, heard: Sequence[Heard]) -> str:
        if self.reported:
            self.tell("tabled", by="code" if absent(heard) else "chair")
            return "TABLED"
        self._examine(heard[0].reply)
        return "EXAMINED"

    def _examine(self, report: Mapping[str, Any] | None) -> None:
        """Take what the checks report of a change; without files, one that is not applied was not examined (R4)."""
        self.reported = True
        self.examined = report if report is not None and (report["applied"] or report["files"]) else None
        self.claims_due = self.examined["claims"] if self.examined is not None else 0
        self.files = self.examined["files"] if self.examined is not None else self.files
        self.claims = {}

    def _proven(self) -> bool:
        return self.examined is not None and any(each["veto"] != "none" for each in self.examined["findings"])

    def _debate(self, heard: Sequence[Heard]) -> str:
        ballots = dict(given(heard, "ballot"))
        counted = {seat: self._counts(seat, ballot) for seat, ballot in ballots.items()}
        for seat, stance in counted.items():
            veto = ballots[seat]["veto_class"] if stance == "veto" else "none"
            self.tell("ballot", seat=seat, said=ballots[seat]["stance"], counts=stance, veto=veto)
            if stance == "veto":
                refused = self.compromised and seat in self.vetoes
                since = self.vetoes[seat][1] if refused else self.round
                self.vetoes[seat] = (ballots[seat]["veto_class"], since)
            elif stance in ("synthesis", "oppose") and ballots[seat]["stance"] != "veto":
                self.vetoes.pop(seat, None)
        self._take_items(ballots, counted)
        ayes, abstained = (sum(each == word for each in counted.values()) for word in ("synthesis", "abstain"))
        voting = len(counted) - abstained
        part, whole = share(self.settings["quorum"])
        least, of = share(self.settings["attendance"])
        self.attended = of * len(counted) >= least * len(self.members)
        self.quorate = self.attended and voting > 0 and whole * ayes >= part * voting
        self.opposed = voting > ayes
        self.away, self.balloted = len(counted) < len(self.members), True
        told = {"synthesis": ayes, "opposing": voting - ayes, "abstained": abstained}
        self.tell("tally", **told, absent=len(self.members) - len(counted))
        if 2 * (len(self.members) - voting) > len(self.members):
            self.tell("majority-abstain", silent=len(self.members) - voting, members=len(self.members))
        self._judge(heard)
        if self._proven() or self.vetoes:
            return "CRITICAL_FLAW"
        self.everybody = voting == len(self.members)
        return "CONSENSUS" if self.quorate and self.everybody else "ABSTENTION"

    def _counts(self, seat: str, ballot: Mapping[str, Any]) -> str:
        """What a ballot counts as (R7, R8)."""
        if ballot["confidence"] < self.settings["abstain_below"]:
            return "abstain"
        if ballot["stance"] != "veto":
            return str(ballot["stance"])
        holder = {seat, persona(seat)} & {*self.settings["veto_holders"], ADJUDICATOR}
        named = ballot["veto_class"] != "none" and not ballot["groundless"]
        return "veto" if holder and named else "oppose"

    def _judge(self, heard: Sequence[Heard]) -> None:
        if not self.claims_due:
            return
        for each in heard:
            if each.brief == "judge":
                self.claims |= {key: self.claims.get(key, "") for key in each.keys}
        for _, reply in given(heard, "judge"):
            for key, said in reply["claims"].items():
                worst = max(JUDGEMENTS.index(said["judgement"]), JUDGEMENTS.index(self.claims[key] or "pass"))
                self.claims[key] = JUDGEMENTS[worst]
        self.claims = {key: said or "insufficient-evidence" for key, said in self.claims.items()}
        for key, said in self.claims.items():
            if said != "pass":
                self.tell("claim unmet", key=key, judgement=said)
        self.claims_due = 0

    def _take_items(self, ballots: Mapping[str, Mapping[str, Any]], counted: Mapping[str, str]) -> None:
        """Keep the items that block, one for each file and rule with its highest severity (R22)."""
        found: dict[Item, int] = {}
        for seat, ballot in ballots.items():
            for each in ballot["items"]:
                key = (each["path"], each["rule"])
                level = -1 if each["unfounded"] else SEVERITIES.index(each["severity"])
                found[key] = max(level, found.get(key, -1))
            if ballot["stance"] == "veto" and counted[seat] == "oppose":
                found[WHOLE, RULE_OF_VETO[ballot["veto_class"]]] = SEVERITIES.index("critical")
        order = sorted(found, key=lambda each: (len(each[0]), *each))
        self.items = {key: SEVERITIES[found[key]] for key in order if self._blocks(found[key])}

    def _blocks(self, level: int) -> bool:
        return level >= SEVERITIES.index(self.settings["blocking_severity"])

    def _veto(self, heard: Sequence[Heard]) -> str:
        if self.step == "AMENDMENT_OFFERED":
            if (reply := heard[0].reply) is None or not (reply["applied"] or reply["files"]):
                return "IRRECONCILABLE" if self._hopeless() else "NO_AMENDMENT"
            self._examine(reply)  # A new change, on which nobody has balloted yet (R17).
            self.quorate = self.attended = self.balloted = self.away = False
            self.items = {}
            return "AMENDED"
        if self.step == "NO_AMENDMENT":
            reply = heard[0].reply
            offers = reply["offers"] if reply is not None else {}
            complete = sum(not each["incomplete"] for each in offers.values())
            return "COMPROMISE" if complete >= len(self.vetoes) else "IRRECONCILABLE"
        if not heard:
            return "IRRECONCILABLE"
        if heard[0].reply is not None and not heard[0].reply["blank"]:
            return "AMENDMENT_OFFERED"
        return "IRRECONCILABLE" if self._hopeless() else "NO_AMENDMENT"

    def _hopeless(self) -> bool:
        """Whether no compromise may be offered (R18)."""
        classes = any(kind in NEVER_DEFERRED for kind, _ in self.vetoes.values())
        earlier = any(ballot < self.round for _, ballot in self.vetoes.values())
        driver = any(persona(each) == DRIVER for each in self.members)
        return self._proven() or classes or earlier or not driver

    def _agreement(self, heard: Sequence[Heard]) -> str:
        if not self.quorate:
            return "REDEBATE" if self._redebate() else "NO_QUORUM"
        self.away = self.away or bool(absent(heard))
        if heard[0].brief == "doubt":
            self._doubt(heard[0].reply["doubts"] if heard[0].reply is not None else {})
            return "CONFIRMED"
        self.tell("agreement", by="code" if absent(heard) else "chair")
        return "AGREED" if self.everybody else "QUORUM_MET"

    def _doubt(self, doubts: Mapping[str, Mapping[str, Any]]) -> None:
        """Drop the items that were refuted with a quotation (R23)."""
        for number, ((path, rule), severity) in enumerate(list(self.items.items()), start=1):
            said = doubts.get(f"I{number}")
            kept = said is None or said["standing"] != "refuted" or not said["quoted"]
            told = {"severity": severity, "standing": said["standing"] if said is not None else "not looked at"}
            self.tell("item", key=f"I{number}", path=path, rule=rule, **told, kept=kept)
            if not kept:
                del self.items[path, rule]

    # How it ends

    def interrupt(self, phase: str, reason: str) -> None:
        self.outcome = "STOPPED"
        if phase == "DEBATE":
            self.quorate = False

    def _of_agreement(self) -> str:
        if self.examined is None:
            return "INCONCLUSIVE"
        claims = any(
            self._blocks(SEVERITIES.index(CLAIM_SEVERITY[each])) for each in self.claims.values() if each != "pass"
        )
        checks = any(self._blocks(SEVERITIES.index(each["severity"])) for each in self.examined["findings"])
        if self.items or claims or checks or self._proven():
            return "REQUEST_CHANGES"
        return "APPROVED" if self.examined["applied"] else "INCONCLUSIVE"  # what nobody was shown (R27, R33)

    def verdict(self, phase: str) -> str:
        if phase == "ABORTED":
            return "ABORTED"
        match self.outcome:
            case "AGREED" | "QUORUM_MET":
                return self._of_agreement()
            case "IRRECONCILABLE":
                return "REQUEST_CHANGES"
            case "NO_QUORUM":
                return "INCONCLUSIVE"
        if not self.reported:
            return "ABORTED"
        if self._proven() or self.vetoes:
            return "REQUEST_CHANGES"
        return self._of_agreement() if self.quorate else "INCONCLUSIVE"

    def degradation(self) -> str:
        return degree(self.examined is None or (self.balloted and not self.attended), self.away)
