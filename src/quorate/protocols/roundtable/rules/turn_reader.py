"""Reads a person's turn: an exit, an address, words to all, a contribution or a silence, by rules and in their order.

The rules, of which the first that holds decides (T15). Case, accents and typographic signs make no difference, and
words that are quoted (in quotation marks, in code, after `>`) are somebody else's.

| rule         | holds where                                                                            | intent       |
| ------------ | -------------------------------------------------------------------------------------- | ------------ |
| blank        | there is no letter, figure, emoji or question mark                                     | SILENCE      |
| command      | the turn is /done, /exit, /quit, /back, /end, /stop or /wrap-up                        | EXIT         |
| exit         | nothing but an exit is left beside courtesies and names ("Thanks, let's wrap up"); a   | EXIT         |
|              | single word only after a pause, ok, yes, so or thanks ("ok done", but not "nice end"). |              |
|              | After other words: the last sentence, or its last part after a comma in a turn of at   |              |
|              | most 15 words, is an exit with let's, please, here or for now ("Thirty days. We're     |              |
|              | done here."), without a condition and not told of somebody else                        |              |
| first name   | the turn begins with a first name and goes on to speak to them: a comma, a colon,      | ADDRESS      |
|              | a question, a request. "Jordan mentioned", "Maya's", "Alex clearly prefers" and "Maya  |              |
|              | Chen asked" speak of somebody                                                          |              |
| name called  | a first name stands between pauses, at the end after one, after an @, at the start of  | ADDRESS      |
|              | a later sentence, ends a question to "you", or is asked for ("What does Alex think?"); |              |
|              | of several the first is addressed, but mere thanks or praise ("Good point, Maya.")     |              |
|              | yield to a later call, to words to all and to a doubt. A name that is also a word      |              |
|              | (Will, May, Mark) is called with a comma, a colon, a greeting or an @ only             |              |
| all named    | every persona is called in one go ("Maya, Alex and Jordan, ...")                       | GROUP        |
| group        | "you all", "all of you"; or team, everyone, folks, all called as a name would be; or   | GROUP        |
|              | everyone or anyone is asked to think, agree, object. "The team needs" speaks of a team |              |
| stranger     | a name that nobody here has stands where a name is called ("Bob, what would it cost?", | STRANGER     |
|              | "@bob", "What do you think, Bob?"), or a word like a name ("Alix, go on"); `addressed` |              |
|              | is then whose name is nearest, if any is near                                          |              |
| opinion      | the last sentence asks for opinions and names nobody ("What do you think?")            | GROUP        |
| doubt        | an exit stands among other words ("The job deletes it, we're done"), is asked about    | UNCLEAR      |
|              | ("done?"), or can mean other things ("continue", "great finish", "stop it"), and       |              |
|              | nobody is spoken to                                                                    |              |
| contribution | everything else                                                                        | CONTRIBUTION |

No exit is what is negated ("I'm not done", "don't wrap up", "almost done"), put off in its own clause or in the one
before it ("before we wrap up", "when the job is done we exit"), asks to be heard ("let me finish") or is about
something else ("back to the API", "we're done with the API"). A clear exit goes before
an address ("Alex, we're done"), a doubtful one behind it ("Alex, are we done?"), and so does an order to one persona
("Alex, stop").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.protocols.roundtable.rules.address import Called, asks_opinion, called, calls_all
from quorate.protocols.roundtable.rules.farewell import is_command, leaving
from quorate.protocols.roundtable.rules.forms import Intent
from quorate.protocols.roundtable.rules.sentences import folded, says_something, sentences, unquoted
from quorate.protocols.roundtable.rules.strangers import near, stranger


@dataclass(frozen=True, slots=True)
class TurnRead:
    """What a turn means, and by which rule."""

    intent: Intent
    addressed: Key | None
    rule: str
    reason: str


def read_turn(text: str, personas: Mapping[Key, str]) -> TurnRead:
    """Read a turn; `personas` are first names by key. Never raises; equal input gives equal output."""
    if not says_something(text):
        return TurnRead(Intent.SILENCE, None, "blank", "nothing was said")
    if is_command(text):
        return TurnRead(Intent.EXIT, None, "command", "a command ends the talk")
    names = {folded(name): key for key, name in personas.items() if folded(name)}
    said = sentences(unquoted(text))
    wish = leaving(said, names)
    if wish is not None and wish.clear:
        return TurnRead(Intent.EXIT, None, "exit", f"{wish.words!r} is what the turn is for")
    call = called(said, names)
    table = calls_all(said)
    if call.thanked and (table or wish is not None):
        call = Called()
    if len(names) > 1 and {*call.names} == {*names}:
        return TurnRead(Intent.GROUP, None, "all named", "every persona is called")
    if call.names:
        key = names[call.names[0]]
        rule = "first name" if said[0].words[:1] == call.names[:1] else "name called"
        return TurnRead(Intent.ADDRESS, key, rule, f"{personas[key]} is spoken to")
    if table:
        return TurnRead(Intent.GROUP, None, "group", f"{table!r} speaks to all")
    if names and wish is None and (name := stranger(said, names)):
        nearest = names.get(near(name, names))
        return TurnRead(Intent.STRANGER, nearest, "stranger", f"nobody here is called {name!r}")
    if question := asks_opinion(said):
        return TurnRead(Intent.GROUP, None, "opinion", f"{question!r} asks everybody")
    if wish is not None:
        return TurnRead(Intent.UNCLEAR, None, "doubt", f"{wish.words!r} may ask for an exit")
    return TurnRead(Intent.CONTRIBUTION, None, "contribution", "nobody in particular is spoken to")
