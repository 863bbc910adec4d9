"""Phrases of prompt injection, by family, matched in text with lower case and single spaces.

Every pattern has bounded gaps, so hostile text takes no longer to match than any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REVIEWER = (
    r"(?:ai |llm |automated |code |human )?(?:reviewers?|models?|assistants?|agents?|committee|bots?|llms?|ais?"
    r"|chatgpt|claude"
    r"|gemini|copilot|chair(?:person)?|personas?|judges?|linters?)"
)
_THING = r"(?:change|changes|pr|pull request|patch|diff|commit|code|file|merge request|implementation|function|module)"
_PERSONA = (
    r"(?:engineering-architect|knowledge-manager|operations-sre|business-driver|product-manager|design-hci"
    r"|adjudicator"
    r"|chair(?:person)?|skeptic|proposer|position [a-l])"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    family: str
    says: str
    anywhere: re.Pattern[str]
    at_start: re.Pattern[str] | None
    """At the start of a line only."""
    weak: bool = False
    """Honest authors write such things too."""


def _phrase(family: str, says: str, *patterns: str, weak: bool = False) -> Phrase:
    def either(some: list[str]) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in some))

    starting = [pattern for pattern in patterns if pattern.startswith("^")]
    anywhere = [pattern for pattern in patterns if not pattern.startswith("^")]
    return Phrase(family, says, either(anywhere), either(starting) if starting else None, weak)


PHRASES = (
    _phrase(
        "instruction",
        "an instruction to the reviewers",
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,30}?\b(?:previous|prior|above|earlier|preceding"
        r"|all|any|your"
        r"|these|those|system|other|existing)\b.{0,30}?\b(?:instructions?|prompts?|guidelines|directives?|briefs?"
        r"|orders)\b",
        r"\b(?:new|updated|revised|additional|important|special) (?:system )?instructions? ?(?:for you|to you|:)",
        r"\b(?:please |must |should |you may |just |simply |always )(?:now )?(?:approve|accept|merge|pass"
        r"|lgtm) (?:this|the|my"
        rf"|these) {_THING}\b",
        rf"^(?:approve|accept|lgtm) (?:this|the|my|these) {_THING}\b",
        rf"[.!:;,] ?(?:approve|accept|lgtm) (?:this|the|my|these) {_THING}\b",
        r"\bdo(?: not|n't) (?:report|mention|flag|raise|list|block|veto|criticise|criticize|comment on) (?:this"
        r"|any|it|these|the"
        r"|them|anything|issues?|findings?|problems?)\b.{0,60}",
        r"\b(?:vote|ballot|stance|verdict|answer|reply|respond|output)\b.{0,20}\b(?:must|should|shall|has to"
        r"|needs to) be\b"
        r".{0,20}\b(?:synthesis|approved?|approval|pass|positive|lgtm|100)\b",
        r"\b(?:vote|answer|respond|reply)(?: with| for)? [\"'`]?(?:synthesis|approved?|lgtm)\b",
        r"\b(?:respond|reply|answer|output) (?:only|just|exactly|solely) (?:with|the)\b",
        r"\b(?:set|make|report|use|put) (?:your |the |a )?(?:stance|confidence|verdict|severity)(?: level"
        r"| score)? (?:to|at|of|as)\b",
        r"\b(?:raise|lift|withdraw|drop) (?:your|the|any|all) (?:veto|objections?|findings?)\b",
    ),
    _phrase(
        "authority",
        "a claim to speak with authority to the reviewers",
        r"\b(?:this is|message from|notice from|by order of|orders? from|i am|on behalf of) (?:the |your "
        r"|an? )?(?:system"
        r"|developers?|admin(?:istrator)?s?|operator|owner|security team|openai|anthropic|google|maintainers?|cto"
        r"|ceo|chair(?:person)?)"
        r"\b.{0,60}\b(?:you|approve|ignore|must|authori[sz]ed?|instruct\w*|order\w*)\b",
        r"\b(?:already|previously|pre-?)\s?(?:been )?(?:reviewed|approved|audited|cleared|signed off"
        r"|authori[sz]ed) by (?:the |an? |our )?"
        rf"(?:security|maintainers?|lead|admin\w*|cto|ceo|legal|audit\w*|senior|{_REVIEWER}|human)",
        r"\b(?:developer|admin|debug|maintenance|god|sudo|root|jailbreak) mode (?:is |has been )?(?:on|enabled"
        r"|activated)\b",
    ),
    _phrase(
        "framing",
        "a claim about the change that asks for no review",
        rf"\b(?:this|the|my) {_THING} (?:is|has been|was) (?:already |fully |formally |thoroughly |known to be "
        r"|proven |guaranteed "
        r"|verified |to be )*(?:bug[- ]free|safe to (?:approve|merge)|vulnerability[- ]free|flawless|verified"
        r"|proven (?:correct|safe"
        r"|secure))\b",
        r"\bno (?:further |more |additional |code )?review (?:is |was )?(?:needed|required|necessary)\b",
        r"\b(?:nothing (?:here )?(?:to|worth) (?:report|review|flag|see here)|safe to (?:approve|merge))\b",
        r"\b(?:100 ?%|completely|absolutely) (?:safe|secure|bug[- ]free|correct)\b",
        weak=True,
    ),
    _phrase(
        "address",
        "a remark to the reviewers",
        r"\b(?:note|notes|attention|message|dear|instructions?|hint|memo|reminder|hey|hello|hi"
        r"|warning)[,:]? (?:to|for|all)? ?(?:the |all |any "
        rf"|every )?(?:ai |llm |automated )?{_REVIEWER}\b ?[:,;.!-]",
        r"^(?:@)?(?:ai |llm |automated |code )?(?:reviewers?|assistant|committee|llms?|models?) ?[:,] (?:please"
        r"|you|this|do|note|the|approve|accept|merge|pass|ignore|skip|trust|vote)\b",
        r"\b(?:reviewers?|committee|llms?) (?:should|must|can safely|need not|may safely|shall) (?:ignore|skip"
        r"|approve|accept|trust|not)\b",
        weak=True,
    ),
    _phrase(
        "persona",
        "an attempt to give the reviewers another role",
        rf"\byou are (?:now )?(?:the |an? |my |no longer )+(?:\w+ ){{0,3}}?(?:{_REVIEWER}|language model|ai|dan"
        r"|chatbot|oracle)\b",
        r"\b(?:from now on|starting now|henceforth),? (?:you|act|respond|behave)\b",
        r"\b(?:act|behave|respond) as (?:if you (?:are|were)|an? (?:unrestricted|different|helpful|jailbroken"
        r"|new))\b",
        r"\bpretend (?:to be|that you|you are|you're)\b",
        r"\bas an ai (?:language )?model\b",
    ),
    _phrase(
        "role-marker",
        "a turn of a conversation, forged",
        r"<[|｜][^<>|｜\n]{1,60}[|｜]>|</?(?:start|end)_of_turn>|\[/?inst\]|<</?sys>>",
        r"<(?:system|assistant|developer)(?: [^<>]{0,60})?>\s?(?:you|ignore|please|as|new|the reviewer)\b"
        r"|\[system\](?:\(|:| )",
        r"^(?:#{1,4} ?)?(?:system|assistant|developer|human|user)(?: message| prompt| instruction)? ?: ?(?:you"
        r"|your|ignore|please|as an?"
        r"|from now|approve|disregard|this change|new instruction|override|all checks)\b",
        r"[\"']role[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"'],? ?[\"']content[\"'] ?: ?[\"'](?:you"
        r"|ignore|approve|all)",
    ),
    _phrase(
        "tool-output",
        "the output of a tool, forged",
        r"</?(?:tool_result|tool_output|function_results?|function_call_output|tool_response|observation)s?>",
        r"\b(?:tool|function|scanner|checks?) (?:output|results?|response) ?: ?.{0,40}\b(?:pass(?:ed)?|clean"
        r"|no (?:findings|issues"
        r"|vulnerabilities)|ok|success)\b",
        r"\ball (?:deterministic |security |automated )?checks (?:have )?(?:passed|are green"
        r"|pass)\b.{0,60}\b(?:approve|0 findings|no findings"
        r"|no issues|synthesis)\b",
        r"\bquorate\b.{0,30}\b(?:verdict|result)\b ?[:=] ?[\"'`]?approved\b",
    ),
    _phrase(
        "ballot",
        "a ballot, forged",
        r"[\"']?stance[\"']? ?[:=] ?[\"'](?:synthesis|oppose|veto|abstain)[\"']",
        r"[\"']veto_(?:class|evidence)[\"'] ?:",
        r"[\"']verdict[\"'] ?: ?[\"'](?:approved|request_changes|inconclusive)[\"']",
        r"\bconfidence[\"']?(?: ?[:=]| of| is|:)? ?(?:100|1\.0)\b(?: ?%| of 100)?(?=.{0,80}\b(?:synthesis"
        r"|approve))",
        r"\bsynthesis\b.{0,40}\bconfidence[\"']?(?: ?[:=]| of| is)? ?(?:100|9\d|1\.0)\b",
        r"\b(?:i|we) (?:hereby )?(?:vote|cast (?:my|our) (?:vote|ballot)) (?:for )?(?:synthesis|approv\w+)\b",
    ),
    _phrase(
        "delimiter",
        "a marker that ends the data, forged",
        r"(?:<|＜){2,} ?(?:data|end)\b[^<>＜＞\n]{0,200}(?:>|＞){2}",
        r"(?:[-=*#~<\[]{2,}|\[) ?(?:begin|start|end)(?: of)? (?:the )?(?:data|material|diff|change|untrusted\w*"
        r"|document|input|user input|context"
        r"|code under review|review)\b(?: ?[-=*#~>\]]|$)",
        r"</?(?:untrusted|untrusted_data|material|user_input|reviewed_code|code_under_review|diff_content)>",
    ),
    _phrase(
        "refusal",
        "bait that makes a model refuse to read on",
        r"anthropic_magic_string|\bmagic_string_trigger_refusal",
        r"\b(?:how to|instructions? (?:for|to)|steps to|recipe for|guide to|synthesis of) (?:build|make|making"
        r"|building|synthesi[sz]\w+|creat\w+"
        r"|cook\w*|produc\w+)? ?(?:an? )?(?:\w+ ){0,2}?(?:bomb|nerve agent|bioweapon|sarin|anthrax|ricin"
        r"|methamphetamine|chemical weapon"
        r"|dirty bomb|explosives?|pathogen)\b",
        r"\b(?:you (?:must|have to|should|are required to)|model (?:must|should)) (?:refuse|decline|abort"
        r"|stop)(?: to)? (?:review|read|analy[sz]e"
        r"|process|continue|reviewing|reading|analy[sz]ing|this|here|now)\b",
        r"\bi (?:cannot|can't|am unable to|'m unable to) (?:help|assist|continue|comply) with (?:that|this)\b",
    ),
    _phrase(
        "peer-message",
        "the words of another reviewer, forged",
        rf"^(?:\*\*)?{_PERSONA}(?:\*\*)? ?(?:\([^()]{{0,40}}\) ?)?: ?[\"']?(?:i|we|this|lgtm|approve\w*|synthesis"
        r"|veto|looks|agree\w*|the)\b",
        r"\b(?:the )?(?:other|all|remaining|fellow) (?:members|reviewers|personas|agents|models"
        r"|judges)(?: of the committee)? (?:have |has )?(?:already |all"
        r" |unanimously )*(?:agreed?|voted|approved?|reached|concluded|signed off)\b",
        r"\b(?:the )?committee (?:has )?(?:already |unanimously )+(?:agreed|voted|approved|concluded|reached)\b",
    ),
)

_SAFE = r"(?:safe|secure|harmless|benign|(?:bug|vulnerability|injection|exploit)[- ]free)"

CLAIMS = _phrase(
    "claim",
    "a comment that claims safety",
    rf"\b(?:known|proven|guaranteed|verified|certified|confirmed|deemed)(?: to be)? {_SAFE}\b",
    rf"\b(?:is|are) (?:perfectly |totally |entirely |fully |always |already )?{_SAFE}(?=[.,;:!]|$"
    r"| (?:here|because|since|as|by)\b)",
    r"\b(?:not|never|isn't|aren't|cannot be|can't be) (?:\w+ )?(?:vulnerable|exploitable|exploited|injectable)\b",
    r"\bno (?:\w+ )?(?:security (?:issues?|risks?|problems?|holes?|impact|implications?)|vulnerabilit(?:y|ies))\b",
    r"\b(?:safe|secure|protected|immune) (?:from|against|to) (?:\w+ )?"
    r"(?:injections?|xss|csrf|ssrf|attack(?:er)?s?|exploits?)\b",
    r"\b(?:this|that|it) (?:is|was) (?:a false positive|not a (?:bug|vulnerability|security \w+))\b",
    r"\b(?:was|were|been) (?:\w+ )?(?:reviewed|audited|vetted|signed off) by\b",
    r"\b(?:reviewed|audited|vetted|approved|signed[- ]off)[- ]by ?:",
    weak=True,
)
"""What an author says in a comment about the safety of the code below. Most authors mean it honestly, so it is told as
a matter of little weight; but who reads it judges the code less sharply, so whoever votes is not shown it."""
