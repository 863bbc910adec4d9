"""What follows in a review: its rules are R1 to R30 and R38 to R54."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quorate_verifier.fate_words import NOTED
from quorate_verifier.items import SEVERITIES, Items, fate
from quorate_verifier.review_coverage import Coverage
from quorate_verifier.review_narrow import READINGS, claims_to_refute, doubts, found
from quorate_verifier.rules import Asked, Heard, Rules, absent, degree, exits, given, leads, numbered, table

NEVER_DEFERRED = ("hard-coded secret", "security hole", "circular dependency")
ADJUDICATOR, DRIVER = "adjudicator", "business-driver"
JUDGEMENTS = ("pass", "insufficient-evidence", "fail")
"""The better ones first (R24)."""
QUARTER = 4
"""One in so many members has to vote, for or against, for a quorum (R10)."""
CLAIM_SEVERITY = {"insufficient-evidence": "medium", "fail": "high"}


def persona(seat: str) -> str:
    """Return whom a member plays: operations-sre:2 plays operations-sre."""
    return seat.partition(":")[0]


def share(text: str) -> tuple[int, int]:
    """Read a share such as 2/3."""
    part, _, whole = text.partition("/")
    return int(part), int(whole)


def _found(reply: Mapping[str, Any] | None, part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(found(reply, part)) if reply is not None else []


class Review(Rules):
    """A committee ballots on a change; vetoes outweigh majorities, and what checks prove outweighs both."""

    table = table("""
        PROPOSAL: EXAMINED, READ, TABLED DEBATE
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
    entries = "R41"
    derived = "who ballots, every tally, quorum, vetoes, items and claims with their fates, and the verdict"
    left_out = ("what the checks find in the change: taken as recorded",)

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.members: list[str] = list(settings["members"])
        holders = [each for each in self.members if self._holds(each)]
        self.narrow = settings.get("style", "wide") == "narrow"
        self.coverage = Coverage(self.members, holders, settings["readings"], self._notes(), narrow=self.narrow)
        self.examined: Mapping[str, Any] | None = None
        self.reports: list[Mapping[str, Any]] = []
        """Every result of the checks, the one of the change as it stands last."""
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
        self.literal = settings.get("reading", "rules") == "seed"
        self.items = Items(settings)
        self.not_counted: list[dict[str, Any]] = []
        """What was raised in a ballot that was cut short."""
        self.cast: list[dict[str, Any]] = []
        """The vetoes that counted, as fates."""
        self.against: list[dict[str, Any]] = []
        """The reservations, as fates: ballots against the change that did not count as vetoes."""
        self.quorate = self.attended = self.balloted = self.opposed = self.everybody = False
        self.step = ""
        """What was done last inside the phase."""
        self.away = False
        """Whether somebody was absent from the last ballot, or from the agreement (R30)."""
        self.outcome = ""
        self.over = False
        """Whether the session has come to its verdict."""

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[Asked]:
        match phase:
            case "PROPOSAL" if self.reported and self.coverage.due():
                return self.coverage.asked()
            case "PROPOSAL":
                chair = [] if self._proven() or self.narrow else [("chair", "table")]
                return chair if self.reported else [("checks", "examine")]
            case "DEBATE" if self._proven():
                return []
            case "DEBATE":
                files, claims = numbered("F", self.files, 0), numbered("C", self.claims_due)
                voters = [] if self.narrow else self.members
                ballots = [(each, "ballot", files + self.items.keys_of(each)) for each in voters]
                return ballots + [(each, "judge", claims) for each in self.members if claims]
            case "VETO" if self.step == "AMENDMENT_OFFERED":
                return [("checks", "apply", [each.key for each in self.items.open if each.grounded])]
            case "VETO" if self.step == "NO_AMENDMENT":
                driver = next(each for each in self.members if persona(each) == DRIVER)
                return [(driver, "compromise", numbered("V", len(self.vetoes))), ("chair", "mediate")]
            case "VETO":
                return [("proposer", "amend")] if self.round < self.settings["rounds"] else []
            case "SYNTHESIS" | "ABSTAIN" if phase == "SYNTHESIS" or self.quorate:
                put = [each.key for each in self.items.doubtful()]
                doubted = self.step != "CONFIRMED" and self.settings["confirm_items"] and put
                if self.narrow:
                    return claims_to_refute(put) if doubted else []
                return [("skeptic", "doubt", put) if doubted else ("chair", "agree")]
            case _:
                return [("chair", "mediate")] if self._redebate() else []

    def _redebate(self) -> bool:
        wanted = bool(self.settings["redebate"]) and not self.literal
        return self.round < self.settings["rounds"] and self.opposed and wanted

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
        if self.reported and self.coverage.due():
            readers = [each.seat for each in heard if each.reply is not None]
            for told, each, part in self.coverage.heard(heard):
                self.tell("read", **told)
                for item in self.items.read(each.seat, _found(each.reply, part)):
                    self.tell("raised", **item.told())
                    self.items.all[item.key] = item
            self._tell_notes(readers)
            return "READ"
        if self.reported:
            self.tell("tabled", by="code" if absent(heard) or not heard else "chair")
            return "TABLED"
        self._examine(heard[0].reply)
        return "EXAMINED"

    def _examine(self, report: Mapping[str, Any] | None) -> None:
        """Take what the checks report of a change (R4, R43)."""
        self.reported = True
        self.examined = report if report is not None and report["applied"] else None
        self.claims_due = self.examined["claims"] if self.examined is not None else 0
        self.files = self.examined["files"] if self.examined is not None else self.files
        if self.examined is not None:
            self.reports.append(self.examined)
            self.items.examined(self.examined)
        self.claims = {}
        if self.examined is not None:
            self.coverage.begin(self.examined, proven=self._proven())

    def _proven(self) -> bool:
        return self.examined is not None and any(each["veto"] != "none" for each in self.examined["findings"])

    def _debate(self, heard: Sequence[Heard]) -> str:
        if self._proven():
            return "CRITICAL_FLAW"
        if self.narrow:
            return self._put_together(heard)
        ballots = dict(given(heard, "ballot"))
        counted = {seat: self._counts(seat, ballot) for seat, ballot in ballots.items()}
        for seat, stance in counted.items():
            veto = ballots[seat]["veto_class"] if stance == "veto" else "none"
            self.tell("ballot", seat=seat, said=ballots[seat]["stance"], counts=stance, veto=veto)
            self._reserve(seat, ballots[seat], stance)
            if stance == "veto":
                refused = self.compromised and seat in self.vetoes
                since = self.vetoes[seat][1] if refused else self.round
                self.vetoes[seat] = (ballots[seat]["veto_class"], since)
                self._ended(seat, "cast again")
                said = ballots[seat]["veto_evidence"]
                self.cast.append(fate(f"V{len(self.cast) + 1}", "veto", [seat], "stands", said))
            elif stance in ("synthesis", "oppose") and ballots[seat]["stance"] != "veto":
                if self.vetoes.pop(seat, None) is not None:
                    self._ended(seat, "compromised" if self.compromised else "lifted")
        self._tell_notes([each.seat for each in heard if each.reply is not None])
        self.coverage.balloted(ballots)
        ayes, abstained = (sum(each == word for each in counted.values()) for word in ("synthesis", "abstain"))
        voting = len(counted) - abstained
        part, whole = share(self.settings["quorum"])
        least, of = share(self.settings["attendance"])
        self.attended = of * len(counted) >= least * len(self.members)
        few = QUARTER * voting < len(self.members) and not self.literal
        self.quorate = self.attended and voting > 0 and not few and whole * ayes >= part * voting
        self.opposed = voting > ayes
        self.away, self.balloted = len(counted) < len(self.members), True
        told = {"synthesis": ayes, "opposing": voting - ayes, "abstained": abstained}
        self.tell("tally", **told, absent=len(self.members) - len(counted))
        if 2 * (len(self.members) - voting) > len(self.members):
            self.tell("majority-abstain", silent=len(self.members) - voting, members=len(self.members))
        if few and voting:
            needed = -(-len(self.members) // QUARTER)
            self.tell("few-voted", voted=voting, members=len(self.members), needed=needed)
        self._judge(heard)
        raised = list(self.items.raised(ballots, counted))
        over = self.items.balloted(ballots, counted)
        for item in raised:
            self.tell("raised", **item.told())
            self.items.all[item.key] = item
        for item in over:
            self.tell("ended", key=item.key, became=item.became)
        if self.vetoes:
            return "CRITICAL_FLAW"
        self.everybody = voting == len(self.members)
        return "CONSENSUS" if self.quorate and self.everybody else "ABSTENTION"

    def _put_together(self, heard: Sequence[Heard]) -> str:
        """Without ballots a quorum is an answer that counts; it is agreed where all was read (R53, R54)."""
        self._tell_notes([each.seat for each in heard if each.reply is not None])
        self._judge(heard)
        self.quorate = self.attended = self.coverage.answered
        self.balloted, self.away = True, self.examined is not None and self.coverage.unread()
        self.everybody = not self.away
        return "CONSENSUS" if self.quorate and self.everybody else "ABSTENTION"

    def _counts(self, seat: str, ballot: Mapping[str, Any]) -> str:
        """What a ballot counts as (R7, R8, R48)."""
        if seat in self._notes() or ballot["confidence"] < self.settings["abstain_below"]:
            return "abstain"
        if ballot["stance"] != "veto":
            return str(ballot["stance"])
        named = ballot["veto_class"] != "none" and not ballot["groundless"]
        return "veto" if self._holds(seat) and named else "oppose"

    def _holds(self, seat: str) -> bool:
        """Whether the veto of a member counts (R8, R48)."""
        return seat not in self._notes() and not {seat, persona(seat)}.isdisjoint(
            {*self.settings["veto_holders"], ADJUDICATOR}
        )

    def _notes(self) -> frozenset[str]:
        """The seats whose word is a note and nothing else (R48)."""
        return frozenset(self.settings.get("unqualified_seats", ()))

    def _tell_notes(self, heard: Sequence[str]) -> None:
        for seat in dict.fromkeys(heard):
            if seat in self._notes():
                self.tell("unqualified", seat=seat)

    def _judge(self, heard: Sequence[Heard]) -> None:
        if not self.claims_due:
            return
        for each in heard:
            if each.brief == "judge":
                self.claims |= {key: self.claims.get(key, "") for key in each.keys}
        for _, reply in (each for each in given(heard, "judge") if each[0] not in self._notes()):
            for key, said in reply["claims"].items():
                worst = max(JUDGEMENTS.index(said["judgement"]), JUDGEMENTS.index(self.claims[key] or "pass"))
                self.claims[key] = JUDGEMENTS[worst]
        self.claims = {key: said or "insufficient-evidence" for key, said in self.claims.items()}
        for key, said in self.claims.items():
            if said != "pass":
                self.tell("claim unmet", key=key, judgement=said)
        self.claims_due = 0

    def _ended(self, seat: str, became: str) -> None:
        """Note what becomes of the veto of a member that stood until now (R13, R18)."""
        for each in self.cast:
            if each["by"] == [seat] and each["became"] == "stands":
                each["became"] = became

    def _blocks(self, level: int) -> bool:
        return level >= SEVERITIES.index(self.settings["blocking_severity"])

    def _veto(self, heard: Sequence[Heard]) -> str:
        if self.step == "AMENDMENT_OFFERED":
            if (reply := heard[0].reply) is None or not reply["applied"]:
                return "IRRECONCILABLE" if self._hopeless() else "NO_AMENDMENT"
            for item in self.items.amended(reply["kept"]):
                self.tell("ended", key=item.key, became=item.became)
            self._examine(reply)  # A new change, on which nobody has balloted yet (R17).
            self.quorate = self.attended = self.balloted = self.away = False
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
        if any(each.brief in ("doubt", "refute") for each in heard):
            self._doubt(heard)
            self._tell_notes(["skeptic" for each in heard if each.reply is not None])
            return "CONFIRMED"
        self.tell("agreement", by="code" if absent(heard) or not heard else "chair")
        return "AGREED" if self.everybody else "QUORUM_MET"

    def _doubt(self, heard: Sequence[Heard]) -> None:
        """Drop the items that were refuted; a veto withheld that is confirmed blocks (R23, R38, R52)."""
        standings, refuted = doubts(heard)
        counts = "skeptic" not in self._notes()
        for item in self.items.doubtful():
            standing = standings.get(item.key, "not looked at")
            kept = not (item.key in refuted and counts)
            told = {"severity": item.severity, "standing": standing}
            self.tell("item", key=item.key, path=item.path, rule=item.rule, **told, kept=kept)
            if counts and standing == "confirmed":
                item.withheld = False
            item.became = item.became if kept else "refuted"

    # How it ends

    def interrupt(self, phase: str, reason: str) -> None:
        self.outcome = "STOPPED"
        if phase == "DEBATE":
            self.quorate = False
            self._lose(dict(given(self.cut_short, "ballot")))
        read = [each for each in self.cut_short if each.brief in READINGS]
        for (part, seat), each in zip(self.coverage.due() if read else (), read, strict=True):
            items = self.items.read(seat, _found(each.reply, part))
            first = len(self.not_counted)
            lost = [
                fate(f"I{len(self.items.all) + first + n}", "fix item", [seat], "not counted", each.words)
                for n, each in enumerate(items, 1)
            ]
            self.not_counted += lost

    def _lose(self, ballots: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what was raised in a ballot that was cut short: it has an id, and counts for nothing (R29, R41)."""
        counted = {seat: self._counts(seat, ballot) for seat, ballot in ballots.items()}
        items = self.items.raised(ballots, counted)
        told = [
            fate(each.key, "veto" if each.veto else "fix item", [each.seat], "not counted", each.words)
            for each in items
        ]
        vetoing = [seat for seat, stance in counted.items() if stance == "veto"]
        first = len(self.cast) + 1
        lost = [
            fate(f"V{number}", "veto", [seat], "not counted", ballots[seat]["veto_evidence"])
            for number, seat in enumerate(vetoing, start=first)
        ]
        self.not_counted = [*told, *lost]
        for seat, counts in counted.items():
            if ballots[seat]["stance"] in ("oppose", "veto") and counts != "veto":
                self._against(seat, "not counted", ballots[seat])

    def fates(self) -> Sequence[Mapping[str, Any]]:
        """Return what became of everything that was raised, each thing once (R41)."""
        lost = [[each for each in self.not_counted if (each["id"][0] == "V") is veto] for veto in (False, True)]
        found = [*self.items.fates(), *lost[0], *self.cast, *lost[1], *self._reservations()]
        for number, report in enumerate(self.reports, start=1):
            for place, each in enumerate(report["findings"], start=1):
                blocks = "blocks" if self._blocks(SEVERITIES.index(each["severity"])) else "note"
                became = "proves a veto" if each["veto"] != "none" else blocks
                became = became if number == len(self.reports) else "superseded"
                where = f" in {each['path']}" if each["path"] else ""
                said = f"{each['rule']}{where}: {each['message']}"
                found.append(fate(f"E{number}.{place}", "finding", [each["check"]], became, said))
        found += [fate(key, "claim", [], self._of_claim(key)) for key in self._claim_keys()]
        for number, ruling in enumerate(self.ruled, start=1):
            became = "holds" if number == len(self.ruled) else "replaced"
            said = f"{ruling['verdict']}: {ruling['reason']}"
            found.append(fate(f"ruling {number}", "ruling", [ruling["by"]], became, said))
        return [*found, *self.coverage.fates(ended=self.over, ruled=bool(self.ruled))]

    def _reserve(self, seat: str, ballot: Mapping[str, Any], counts: str) -> None:
        """Take a vote that may be against the change, or the answer to one of before (R41)."""
        again, answers = ballot["stance"] in ("oppose", "veto"), counts == "synthesis"
        for each in self.against:
            if each["by"] == [seat] and each["became"] == "stands" and (again or answers):
                each["became"] = "raised again" if again else "answered"
        if again and counts != "veto":
            self._against(seat, NOTED if seat in self._notes() else "stands", ballot)

    def _against(self, seat: str, became: str, ballot: Mapping[str, Any]) -> None:
        self.against.append(fate(f"O{len(self.against) + 1}", "reservation", [seat], became, ballot["opinion"]))

    def _reservations(self) -> list[dict[str, Any]]:
        outvoted = {"stands": "outvoted"} if self.quorate and not self.vetoes else {}
        return [each | {"became": outvoted.get(each["became"], each["became"])} for each in self.against]

    def _claim_keys(self) -> list[str]:
        return numbered("C", self.reports[-1]["claims"]) if self.reports else []

    def _of_claim(self, key: str) -> str:
        said = self.claims.get(key)
        if said is None:
            return "not judged"
        if said == "pass":
            return "met"
        return "blocks" if self._blocks(SEVERITIES.index(CLAIM_SEVERITY[said])) else "note"

    def _checks_decide(self) -> bool:
        """Whether nobody on the committee counts, and a finding of the checks blocks (R49)."""
        found = self.examined["findings"] if self.examined is not None else ()
        return self._notes().issuperset(self.members) and any(self._found_blocks(each) for each in found)

    def _found_blocks(self, found: Mapping[str, Any]) -> bool:
        return self._blocks(SEVERITIES.index(found["severity"]))

    def _of_agreement(self) -> str:
        if self.examined is None:
            return "INCONCLUSIVE"
        claims = any(
            self._blocks(SEVERITIES.index(CLAIM_SEVERITY[each])) for each in self.claims.values() if each != "pass"
        )
        checks = any(self._found_blocks(each) for each in self.examined["findings"])
        if self.items.blocking() or claims or checks or self._proven():
            return "REQUEST_CHANGES"
        if self.coverage.unread() or (self.items.withheld() and not self.literal):
            return "INCONCLUSIVE"
        return "APPROVED"

    def verdict(self, phase: str) -> str:
        self.over = True
        if phase == "ABORTED":
            return "ABORTED"
        if self._checks_decide():
            return "REQUEST_CHANGES"
        match self.outcome:
            case "AGREED" | "QUORUM_MET":
                return self._of_agreement()
            case "IRRECONCILABLE":
                at_limit = self.round >= self.settings["rounds"] and not self._proven()
                return "INCONCLUSIVE" if self.literal and at_limit else "REQUEST_CHANGES"
            case "NO_QUORUM":
                return "INCONCLUSIVE"
        if not self.reported:
            return "ABORTED"
        if self._proven() or self.vetoes:
            return "REQUEST_CHANGES"
        return self._of_agreement() if self.quorate else "INCONCLUSIVE"

    def degradation(self) -> str:
        return degree(self.examined is None or (self.balloted and not self.attended), self.away)
