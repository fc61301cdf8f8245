"""Contexts with the responses that systems gave to them, as CoCoA's evaluation reads and writes them.

Three shapes are recognised by what stands in them: outputs of one system (`[{"ex_id", "prev_turns",
"reference", "response"}]`), evaluation data of several (`{id: {"context": [[agent, text]],
"responses": {system: [agent, text]}}}`) and examples with candidates (`[{"exid", "prev_turns",
"prev_roles", "target", "candidates"}]`). Of several files the responses to the same context meet.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.cocoa.tokens import OTHER_ROLE, is_terminal, is_tokens, roles, sentence

# What the response of people is filed under, beside those of systems.
REFERENCE = "reference"
CONTEXT = 3
# What stands for a response without words: a system that says nothing is not left out for it.
NOTHING_SAID = "(says nothing)"

TOO_SHORT = "contexts with fewer turns than are shown"
OVER = "contexts that end in an offer, an answer to one, or a leave"
RATED = "earlier ratings of candidates"
SILENT = "responses without words, shown as such"


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn of a context; `speaker` is a role (buyer, seller) or A and B."""

    speaker: str
    text: str


@dataclass(slots=True)
class ContextItem:
    """A context and what each system said next, by the system's name; people's is the reference."""

    id: str
    context: tuple[SpokenTurn, ...]
    speaker: str
    responses: dict[str, str] = field(default_factory=dict)

    @property
    def roles(self) -> tuple[str, str] | None:
        """What the partner and the responder are called; None where the file does not say."""
        if self.speaker in ("A", "B"):
            return None
        others = [turn.speaker for turn in self.context if turn.speaker != self.speaker]
        partner = others[-1] if others else OTHER_ROLE.get(self.speaker, "partner")
        return partner.capitalize(), self.speaker.capitalize()


@dataclass(slots=True)
class ResponseData:
    """The contexts of some files in their order, what was left out, and what is wrong."""

    turns: int = CONTEXT
    items: dict[str, ContextItem] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        """All systems, in the order they first occur, the reference last."""
        found = dict.fromkeys(name for item in self.items.values() for name in item.responses)
        return sorted(found, key=lambda name: name == REFERENCE)

    def add(self, document: Any, *, system: str, file: str) -> None:
        """Take in a decoded file; `system` is whose outputs these are where the file does not say."""
        for place, found in _entries(document, file):
            try:
                self._take(found, system)
            except InputError as error:
                self.mistakes.append(f"{file}: {place}: {error}")

    def _take(self, entry: Mapping[str, Any], system: str) -> None:
        if "responses" in entry:
            self._evaluation(entry)
        elif "candidates" in entry:
            self._candidates(entry, system)
        else:
            self._output(entry, system)

    def _output(self, entry: Mapping[str, Any], system: str) -> None:
        turns = _turns(entry, "prev_turns")
        reference, response = (_tokens(entry, key) for key in ("reference", "response"))
        if len(turns) < self.turns:
            self.left_out[TOO_SHORT] += 1
        elif is_terminal(turns[-1]):
            self.left_out[OVER] += 1
        else:
            shown = turns[-self.turns :]
            spoken = roles([*shown, reference])
            item = self._item(_name(entry, "ex_id"), zip(spoken, shown, strict=False), spoken[-1])
            self._respond(item, system, sentence(response))
            self._respond(item, REFERENCE, sentence(reference), again=True)

    def _evaluation(self, entry: Mapping[str, Any]) -> None:
        context = [_said(turn) for turn in _listed(entry, "context")]
        responses = entry["responses"]
        if not isinstance(responses, dict) or not responses:
            raise InputError("'responses' takes at least one response, by system.")
        said = {str(name): _said(given) for name, given in responses.items()}
        speakers = {speaker for speaker, _ in said.values()}
        if len(speakers) > 1:
            raise InputError(f"The responses are by different speakers: {', '.join(speakers)}.")
        item = self._item(str(entry["id"]), context, speakers.pop())
        for name, (_, text) in said.items():
            self._respond(item, name, sentence(text))

    def _candidates(self, entry: Mapping[str, Any], system: str) -> None:
        turns = _turns(entry, "prev_turns")
        if len(turns) < self.turns:
            self.left_out[TOO_SHORT] += 1
            return
        if is_terminal(turns[-1]):
            self.left_out[OVER] += 1
            return
        named = entry.get("prev_roles") or roles(turns)
        if not isinstance(named, list) or len(named) != len(turns):
            raise InputError("'prev_roles' takes one role for each of 'prev_turns'.")
        speaker = entry.get("role") or OTHER_ROLE.get(str(named[-1]), "B")
        shown = list(zip(map(str, named), turns, strict=True))[-self.turns :]
        item = self._item(_name(entry, "exid"), shown, str(speaker))
        for number, candidate in enumerate(_listed(entry, "candidates"), start=1):
            given = candidate if isinstance(candidate, dict) else {"response": candidate}
            name = given.get("system") or f"{system}-{number}"
            self._respond(item, str(name), sentence(_tokens(given, "response")))
        if entry.get("target"):
            self._respond(item, REFERENCE, sentence(_tokens(entry, "target")), again=True)
        if entry.get("results"):
            self.left_out[RATED] += 1

    def _item(self, name: str, context: Any, speaker: str) -> ContextItem:
        """The item of a context; one id may stand for several contexts of one dialogue."""
        turns = tuple(SpokenTurn(who, sentence(said)) for who, said in context)
        turns = tuple(turn for turn in turns if turn.text)
        if not turns:
            raise InputError("The context has no words.")
        id, number = name, 2
        while id in self.items and (self.items[id].context, self.items[id].speaker) != (
            turns,
            speaker,
        ):
            id, number = f"{name}/{number}", number + 1
        return self.items.setdefault(id, ContextItem(id, turns, speaker))

    def _respond(self, item: ContextItem, system: str, text: str, *, again: bool = False) -> None:
        if not text:
            self.left_out[SILENT] += 1
        said = item.responses.setdefault(system, text or NOTHING_SAID)
        if said != (text or NOTHING_SAID) and not again:
            raise InputError(
                f"'{system}' answers the context '{item.id}' twice, with '{said}' and '{text}'."
            )


def _entries(document: Any, file: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(document, dict):
        for name, entry in document.items():
            if not isinstance(entry, dict) or "responses" not in entry or "context" not in entry:
                raise InputError(f"{file}: '{name}' has no 'context' and 'responses'.")
            yield f"'{name}'", {"id": name, **entry}
    elif isinstance(document, list):
        for number, entry in enumerate(document, start=1):
            if not isinstance(entry, dict):
                raise InputError(f"{file}: Entry {number} is not an object.")
            yield f"Entry {number}", entry
    else:
        raise InputError(f"{file}: Expected a list of outputs, or an object of contexts.")


def _name(entry: Mapping[str, Any], key: str) -> str:
    given = entry.get(key)
    if not isinstance(given, str | int) or given == "":
        raise InputError(f"'{key}' is missing.")
    return str(given)


def _listed(entry: Mapping[str, Any], key: str) -> list[Any]:
    given = entry.get(key)
    if not isinstance(given, list):
        raise InputError(f"'{key}' takes a list.")
    return given


def _turns(entry: Mapping[str, Any], key: str) -> list[Any]:
    turns = _listed(entry, key)
    for number, turn in enumerate(turns, start=1):
        if not is_tokens(turn):
            raise InputError(f"Turn {number} of '{key}' is not a list of tokens.")
    return turns


def _tokens(entry: Mapping[str, Any], key: str) -> Any:
    given = entry.get(key)
    if not is_tokens(given):
        raise InputError(f"'{key}' is missing, or is not a list of tokens.")
    return given


def _said(turn: Any) -> tuple[str, Sequence[Any] | str]:
    """The speaker and the words of a turn of evaluation data."""
    if not isinstance(turn, list) or len(turn) != 2 or not is_tokens(turn[1]):
        raise InputError("A turn of evaluation data takes a speaker and its words.")
    return str(turn[0] or "A"), turn[1]
