"""Prompt-injection phrases addressed to the reviewers of an RFC, as opposed to prose about reviewing.

An RFC has rules of its own about reviewers and approvals ("two reviewers must approve the waiver"), so a phrase counts
only where somebody is told to wave through *this* text, to raise nothing, or to forget their instructions. Patterns are
matched in text folded to small letters and single blanks, and have bounded gaps. What is forged (turns of a
conversation, ends of the data) is taken from the phrases of the code review; what is encoded or invisible is held
against all of those, since nobody writes a plan by hiding it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.protocols.council.world.gates.sieve import Sieve
from quorate.safety.phrases import PHRASES

_WHO = (
    r"\b(?:ai |llm |automated |rfc |human )?(?:reviewers?|reviewing agents?|council(?: members?)?|sub-?agents?|sa-[123]"
    r"|assessors?|language models?|llms?|ai models?|ai assistants?)\b"
)
_TEXT = r"(?:tickets?|rfc|proposal|plan|document|decomposition|change|changes|design)"
_THIS = (
    rf"(?:(?:this|these|my|our)(?: whole| entire)? {_TEXT}|it|them|everything|all of it|every ticket"
    r"|all (?:of )?(?:the |these )?tickets)\b"
)
_GRANT = r"(?:approve|accept|pass|support|wave through|sign off(?: on)?|vote (?:for|support on|to approve|to accept))"
_CLAIM = r"(?:findings?|issues?|problems?|defects?|objections?|blockers?|concerns?|comments?)"
_RAISE = r"(?:raise|report|flag|file|record|list|mention)"
_LATER = r"(?! ?(?:[\w-]{1,20} ){0,3}(?:before|once|after|if|when|unless|until|within|by)\b)"
"""A condition makes it a rule of the process."""
_STOP = r"[.!?:;,>|(*#\"'-]"
_START = rf"(?:^|(?<={_STOP})|(?<={_STOP} )|\bplease |\bjust |\bsimply |\bnow )"
_COUNTED = re.compile(
    r"(?<![\w-])(?:one|two|three|four|five|both|least|most|a|an|each|every|named|assigned|second|other|\d+)"
    r" (?:[\w-]{1,20} ){0,2}$"
)
"""Counted reviewers are those of a rule."""
_REVIEWERS = re.compile(_WHO)


@dataclass(frozen=True, slots=True)
class Speech:
    """One kind of phrase addressed to reviewers."""

    says: str
    pattern: re.Pattern[str]


def _speech(says: str, *patterns: str) -> Speech:
    return Speech(says, re.compile("|".join(f"(?:{pattern})" for pattern in patterns)))


SPEECHES = (
    _speech(
        "tells the reviewers to forget their instructions",
        r"\b(?:ignore|disregard|forget) (?:all |any |the |of |your |these |those )*(?:previous|prior|above|earlier"
        r"|preceding|your|system)\b.{0,20}?\b(?:instructions?|prompts?|guidelines|directives?|briefs?)\b",
        r"\b(?:ignore|disregard|forget|override|bypass) (?:all (?:of )?)?your (?:instructions?|prompts?|guidelines"
        r"|directives?|briefs?|rules|lenses|role)\b",
        r"\byou are (?:now|no longer) (?:an? |the |my )?\w+|\bfrom now on,? you (?:must|will|are|act|shall)\b"
        r"|\bas an ai (?:language )?model\b|\bpretend (?:that )?you(?:'re| are)\b",
    ),
    _speech(
        "tells the reviewers to approve it",
        rf"{_WHO}.{{0,12}}?[ :,](?:must|should|shall|need to|have to|please|kindly|can safely|may safely|are (?:asked"
        r"|instructed|required|told|expected|requested|ordered) to)(?: now| simply| just| always)?"
        rf" {_GRANT} {_THIS}{_LATER}",
        rf"{_WHO} ?[:,;!-] ?(?:please |just |simply |you must |you should )?{_GRANT} {_THIS}{_LATER}",
        rf"{_START}{_GRANT} this (?:whole |entire )?{_TEXT}\b(?= ?(?:[.!;\"')]|$|without|as is\b|as it is|immediately"
        r"|now|unconditionally|regardless|despite|and (?:raise|report|do not|skip|ignore)|in full))",
        rf"\byou (?:must|should|have to|need to|are required to|will) {_GRANT} {_THIS}{_LATER}",
        r"\byour (?:vote|verdict|ballot|assessment|answer|response|severity|confidence|judge?ment|stance)"
        r" (?:on this \w+ )?(?:must|should|shall|has to|is to|needs to) be\b",
        r"\b(?:set|put|keep|make) your (?:vote|verdict|ballot|assessment|severity|confidence|stance)\b",
        r"\b(?:must|should|please|always|only) vote [\"'`]?(?:support|approved?|oppose|abstain)\b",
    ),
    _speech(
        "tells the reviewers to raise nothing",
        rf"{_WHO}.{{0,20}}?[ :,](?:must not|should not|shall not|do not|don't|may not|never|are not to|need not)"
        rf" (?:{_RAISE} (?:any |these |this |further )?{_CLAIM}\b(?! (?!here\b|at all)\w| ?,? (?:that|which))"
        rf"|(?:block|veto|oppose|dispute|question|object to|look at|check|review) {_THIS}{_LATER})",
        rf"{_WHO}.{{0,20}}?[ :,]{_RAISE} no {_CLAIM}\b",
        rf"\b(?:do not|don't|never|must not|should not) {_RAISE} (?:any )?{_CLAIM} (?:on|in|about|against|for|with)"
        rf" {_THIS}",
        rf"\b{_RAISE} no {_CLAIM} (?:on|in|about|against|for|with) {_THIS}",
        r"\b(?:do not|don't) (?:flag|block|veto|oppose|dispute|question) this"
        r" (?:ticket|rfc|proposal|plan|decomposition)\b",
        rf"{_WHO}.{{0,12}}?[ :,](?:must |should |please |can safely |may safely )?(?:ignore|skip|overlook|disregard)"
        rf" (?:all|any|the|these|every) (?:[\w-]{{1,20}} ){{0,3}}(?:{_CLAIM}|gates?|checks?|lenses)\b",
        r"\bthis (?:ticket|rfc|proposal|plan)\b.{0,60}?\bno (?:further |more |additional )?review (?:is |was )?"
        r"(?:needed|required|necessary)\b",
    ),
    _speech(
        "speaks for the other reviewers",
        r"\b(?:other|all|remaining|fellow) (?:reviewers|seats|sub-?agents|council members|members of the council)"
        r" (?:have |has )?(?:already |all |unanimously )+(?:agreed|voted|approved|reached|concluded|signed off)\b",
        r"\bthe council (?:has )?(?:already |unanimously )+(?:agreed|voted|approved|concluded|reached)\b",
    ),
)
_FORGED = tuple(
    Speech(f"holds {phrase.says}", phrase.anywhere)
    for phrase in PHRASES
    if phrase.family in ("role-marker", "delimiter", "refusal")
)
_HIDDEN = tuple(Speech(f"holds {phrase.says}", phrase.anywhere) for phrase in PHRASES)
CUES = Sieve(
    (
        *(
            "review",
            "council",
            "subagent",
            "sub-agent",
            "sa-1",
            "sa-2",
            "sa-3",
            "assessor",
            "model",
            "llm",
            "assistant",
        ),
        *("ignore", "disregard", "forget", "override", "bypass", "approve", "accept this", "accept it", "pass this"),
        *("support this", "your ", "you are", "you must", "you should", "you have to", "you need to", "you will"),
        *("from now on", "vote", "pretend", "as an ai", " this ticket", " this rfc", " this proposal", " this plan"),
        *("<|", "_of_turn", "[inst", "[/inst", "<<", "<sys", "<ass", "<dev", "[system]", "role", "anthropic_magic"),
        *("begin", "start", "end ", "</", "<untrusted", "<material", "<user_input", "<reviewed", "<code_", "<diff_"),
        *("bomb", "agent", "bioweapon", "sarin", "anthrax", "ricin", "methamphetamine", "chemical weapon", "explosive"),
        *("pathogen", "i cannot", "i can't", "i am unable", "i'm unable", "magic_string", "decomposition"),
    ),
    re.compile(r"(?!)"),
)
"""What every phrase has; most lines have none of it."""


def spoken(folded: str) -> Iterator[tuple[str, int, int]]:
    """Yield the phrases addressed to reviewers in a folded text: the kind, start and end."""
    for speech in (*SPEECHES, *_FORGED):
        for found in speech.pattern.finditer(folded):
            before = folded[max(0, found.start() - 40) : found.start()]
            if not (_REVIEWERS.match(found[0]) and _COUNTED.search(before)):
                yield speech.says, found.start(), found.end()


def spoken_hidden(folded: str) -> str:
    """Return the kind of phrase addressed to reviewers in a hidden text; empty if there is none."""
    return next((speech.says for speech in (*SPEECHES, *_HIDDEN) if speech.pattern.search(folded)), "")
