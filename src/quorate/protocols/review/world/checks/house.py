"""Applies the rules that a project adds to a change: the check `house rules`.

The rules are those of the base: `rules_for` reads them as they were before the change, so that no change can lift a
rule or bring a command. A command runs in a scratch folder with the files as they are after the change, and the folder
that `{base}` stands for has them as they were before; nothing of the change is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join

from quorate.files.places import counted, disputed, listed, place_of
from quorate.kit.change import Change, ChangedFile, FileStatus, Tree
from quorate.kit.check_result import Check, CheckResult, skipped
from quorate.kit.findings import Finding
from quorate.kit.quote import clip, quoted, result
from quorate.protocols.review.world.change.repository import find_repository
from quorate.protocols.review.world.checks.matcher import find
from quorate.protocols.review.world.checks.rules_file import (
    BASE,
    NAME,
    Beside,
    Command,
    Forbidden,
    HouseRule,
    HouseRules,
    MostLines,
    MostMatches,
    MustContain,
    MustNotContain,
    load_rules,
    rules_schema,
)
from quorate.protocols.review.world.checks.scratch import Ran, Scratch

__all__ = ["HouseRule", "HouseRules", "house_check", "load_rules", "rules_for", "rules_schema"]

CHECK = "house rules"
MOST_FILES, MOST_CHARACTERS = 20_000, 200_000_000
"""Of the project, in a scratch folder for commands."""
_PLACE = re.compile(r"^(?P<path>[^:\n]{1,1000})(?::(?P<line>\d{1,9}))?(?::\d+)?:\s*(?P<told>.*)$")


def rules_for(change: Change, path: Path, *, remote: bool = False) -> HouseRules:
    """Return the rules that apply to a change: those from before it, if the file belongs to the repository.

    For a remote user (`remote`) a command runs only if the last commit's rules have it too.
    """
    rules = _rules_for(change, path)
    if not remote or not any(isinstance(rule.demand, Command) for rule in rules.rules):
        return rules
    text = _committed(change, NAME) if change.root else None
    own = load_rules(text, f"{NAME} of the last commit").rules if text is not None else ()
    kept = tuple(rule for rule in rules.rules if not isinstance(rule.demand, Command) or rule in own)
    return HouseRules(kept, rules.note, tuple(rule.id for rule in rules.rules if rule not in kept))


def _rules_for(change: Change, path: Path) -> HouseRules:
    inside, judged = place_of(change, path), change.judged_by
    if inside is not None and inside in change.disputed:
        raise disputed(inside)
    if inside is None or judged is None:
        return load_rules(path)
    text = judged.read(inside)
    if text is not None:
        return load_rules(text, inside)
    if change.after is not None and change.after.read(inside) is not None:
        return HouseRules(note=f"{inside} is new, and counts from the next change on")
    if _committed(change, inside) is not None:  # what is checked out may be by the author of the change
        return HouseRules(note=f"{inside} is newer than what the change began from")
    return load_rules(path)


def _committed(change: Change, path: str) -> str | None:
    """Return the text of a file in the last commit, or None."""
    repository = find_repository(Path(change.root)) if Path(change.root).is_dir() else None
    return repository.committed(path) if repository is not None else None


def house_check(rules: HouseRules) -> Check:
    """Return the check that applies these rules to a change."""

    def check(change: Change) -> CheckResult:
        if not rules.rules and not rules.refused:
            return skipped(CHECK, rules.note or "the project has no rules of its own")
        applied, findings = list[str](), list[Finding]()
        not_run = [f"{name} (a command that the last commit's {NAME} does not have)" for name in rules.refused]
        commands = [rule for rule in rules.rules if isinstance(rule.demand, Command) and _files(change, rule)]
        plain = [rule for rule in rules.rules if not isinstance(rule.demand, Command)]
        for rule in plain:
            applied += [rule.id] if _files(change, rule) else []
            findings += _structural(change, rule)
        findings += _matched(change, plain)
        if commands:
            findings += _commanded(change, commands, not_run)
            applied += [rule.id for rule in commands if rule.id not in {name.partition(" ")[0] for name in not_run}]
        reason = f"{counted(len(applied), 'rule')} of {len(rules.rules) + len(rules.refused)} concerned this change"
        reason += f": {listed(applied)}" if applied else ""
        told = f"{reason}; not run: {'; '.join(not_run[:5])}" if not_run else reason
        return result(CHECK, told, findings, read=len(applied))

    return check


def _files(change: Change, rule: HouseRule) -> list[ChangedFile]:
    return [file for file in change.files if file.status is not FileStatus.DELETED and rule.concerns(file.path)]


def _finding(rule: HouseRule, path: str, line: int, told: str, evidence: str) -> Finding:
    message = f"{rule.message} {told}".strip()
    return Finding(f"house/{rule.id}", rule.severity, path, line, message, evidence, veto=rule.veto)


# What needs no looking for text


def _structural(change: Change, rule: HouseRule) -> Iterator[Finding]:
    match rule.demand:
        case MostLines(count=most):
            for file in _files(change, rule):
                lines, before = _lines(file.after), _lines(file.before)
                if len(lines) > max(most, len(before)):
                    yield _finding(
                        rule, file.path, most + 1, f"It has {len(lines):,} lines.", f"at most {most:,} lines"
                    )
        case Forbidden():
            for file in _files(change, rule):
                if file.status is not FileStatus.MODIFIED:
                    yield _finding(rule, file.path, 0, "", clip(file.path))
        case Beside(name=name):
            yield from _alone(change, rule, name)
        case _:
            return


def _alone(change: Change, rule: HouseRule, name: str) -> Iterator[Finding]:
    """Yield files without the required file beside them: new ones, and those that the change removed it from."""
    if change.after is None or change.before is None:
        return
    gone = {dirname(f.old_path or f.path) for f in change.files if (f.old_path or f.path).rpartition("/")[2] == name}
    stayed = [path for path in change.after.paths() if dirname(path) in gone and rule.concerns(path)] if gone else []
    new = [file.path for file in _files(change, rule) if file.status is not FileStatus.MODIFIED]
    for path in sorted({*new, *stayed}):
        if path.rpartition("/")[2] != name and change.after.read(join(dirname(path), name)) is None:
            yield _finding(rule, path, 0, f"There is no {name} beside it.", f"{name} beside {clip(path)}")


def _lines(text: str | None) -> list[str]:
    lines = (text or "").split("\n")
    return lines if lines[-1] else lines[:-1]


# What is looked for in lines


def _matched(change: Change, rules: list[HouseRule]) -> Iterator[Finding]:
    """Search for all expressions at once, in a separate process."""
    jobs: list[tuple[HouseRule, ChangedFile | None, str, list[str]]] = []
    for rule in rules:
        files = _files(change, rule)
        match rule.demand:
            case MustNotContain(pattern=pattern) if files:
                jobs.append((rule, None, pattern, [line for file in files for _, line in sorted(file.added.items())]))
            case MustContain(patterns=patterns):
                every = [(file, pattern) for file in files if file.after is not None for pattern in patterns]
                jobs += [(rule, file, p, _lines(file.before) + _lines(file.after)) for file, p in every]
            case MostMatches(pattern=pattern):
                known = [file for file in files if file.after is not None]
                jobs += [(rule, file, pattern, _lines(file.before) + _lines(file.after)) for file in known]
            case _:
                pass
    found = find([(pattern, lines) for _, _, pattern, lines in jobs]) if jobs else []
    for (rule, one, pattern, _), hits in zip(jobs, found, strict=True):
        if hits is None:
            told = "This rule could not be decided: its pattern took too long on these lines."
            yield _finding(rule, one.path if one else "", 0, told, clip(pattern))
        elif one is None:
            yield from _on_lines(change, rule, hits)
        else:
            yield from _on_file(rule, one, pattern, hits)


def _on_lines(change: Change, rule: HouseRule, hits: list[int]) -> Iterator[Finding]:
    places = [(file, line) for file in _files(change, rule) for line in sorted(file.added)]
    for hit in hits:
        file, line = places[hit]
        yield _finding(rule, file.path, line, "", quoted(file, line))


def _on_file(rule: HouseRule, file: ChangedFile, pattern: str, hits: list[int]) -> Iterator[Finding]:
    border = len(_lines(file.before))
    before, after = sum(hit < border for hit in hits), [hit - border + 1 for hit in hits if hit >= border]
    match rule.demand:
        case MustContain() if not after and (before or file.before is None):
            yield _finding(rule, file.path, 0, "", f"no line matches {clip(pattern)}")
        case MostMatches(count=most) if len(after) > max(most, before):
            told = f"{len(after):,} lines match, and at most {most:,} may."
            yield _finding(rule, file.path, after[most], told, f"at most {most:,} lines match {clip(pattern)}")
        case _:
            return


# Commands


def _commanded(change: Change, rules: list[HouseRule], not_run: list[str]) -> Iterator[Finding]:
    if change.after is None:
        not_run += [f"{rule.id} (only a diff is known)" for rule in rules]
        return
    seconds = sum(rule.demand.seconds for rule in rules if isinstance(rule.demand, Command)) + 60.0
    with Scratch(seconds) as scratch:
        (scratch.folder / "after").mkdir()
        (scratch.folder / "base").mkdir()
        wants_base = any(
            BASE in word for rule in rules if isinstance(rule.demand, Command) for word in rule.demand.arguments
        )
        laid = _lay_out(scratch, "after", change.after)
        laid = laid and (not wants_base or (change.before is not None and _lay_out(scratch, "base", change.before)))
        for rule in rules:
            assert isinstance(rule.demand, Command)
            if not laid:
                not_run.append(f"{rule.id} (the project is too large, or not known as it was)")
                continue
            words = [word.replace(BASE, str(scratch.folder / "base")) for word in rule.demand.arguments]
            try:
                ran = scratch.run(words, rule.demand.seconds, "after", errors=True)
            except OSError as error:
                not_run.append(f"{rule.id} ({clip(words[0], 80)}: {error.strerror})")
                continue
            yield from _said(change, rule, ran, f"{scratch.folder / 'after'}/")


def _lay_out(scratch: Scratch, folder: str, tree: Tree) -> bool:
    """Write the texts of a tree; return False if it is too large."""
    files = characters = 0
    for path in tree.paths():
        text = tree.read(path)
        if text is None:
            continue
        files, characters = files + 1, characters + len(text)
        if files > MOST_FILES or characters > MOST_CHARACTERS:
            return False
        scratch.write(f"{folder}/{path}", text)
    return True


def _said(change: Change, rule: HouseRule, ran: Ran, folder: str) -> Iterator[Finding]:
    """Yield findings from a command's output, except those on lines that the change did not touch."""
    if ran.code is None:
        told = "The command did not end in time." if ran.late else "The command printed too much."
        yield _finding(
            rule, "", 0, told, clip(" ".join(rule.demand.arguments)) if isinstance(rule.demand, Command) else ""
        )
        return
    if ran.code == 0:
        return
    files = {file.path: file for file in _files(change, rule)}
    placed = 0
    for said in ran.out.splitlines()[:10_000]:
        found = _PLACE.match(said.replace(folder, "")[:3_000])
        if found is None or (found["path"].removeprefix("./") not in files and found["line"] is None):
            continue
        placed += 1
        file, line = files.get(found["path"].removeprefix("./")), int(found["line"] or 0)
        if file is not None and (line in file.added or line == 0):
            quote = quoted(file, line) if line else clip(file.path)
            yield _finding(rule, file.path, line, clip(found["told"], 400), quote)
    if not placed:
        first = next((line for line in ran.out.splitlines() if line.strip()), f"it ended with {ran.code}")
        yield _finding(rule, "", 0, f"The command says: {clip(first, 400)}", clip(first))
