"""Fills in one screen of judgement: the conversations, and the questions with what was answered."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from palaver.annotation.screens import Asking, Screen
from palaver.annotation.submission import PasteCount
from palaver.core.dialogue import Dialogue, Turn
from palaver.core.events import MESSAGE
from palaver.core.questions.comparative import Comparative
from palaver.core.questions.question import Question
from palaver.core.questions.turns import role_of
from palaver.formats.dialogue_texts import ROLES
from palaver.games.game import game_of
from palaver.games.model_in_the_loop.judged_example import JudgedExample, example_of
from palaver.storage.judging.labels import Answers
from palaver.studies.run.work import LETTERS, Letter
from palaver.web.participant.rating.pages import (
    Asked,
    Feedback,
    Line,
    ShownSituation,
    ShownTranscript,
    Side,
)


@dataclass(frozen=True, slots=True)
class Names:
    """What the two roles are called on the page, and how their words are shown.

    `seats` are the rater's own, where they took part, and `letters` those of their two chats. `rich`
    shows what the system's side says as Markdown, be that a system or a person: the look of a turn
    must not tell.
    """

    user: str
    system: str
    seats: Mapping[str, int] = field(default_factory=dict)
    rich: bool = False
    letters: Mapping[str, Letter] = field(default_factory=dict)

    def of(self, dialogue: Dialogue, seat: int) -> str:
        """What stands beside a turn of this seat."""
        if dialogue.id in self.seats:
            return "You" if seat == self.seats[dialogue.id] else "Partner"
        roles = dialogue.scenario.extra.get(ROLES, ())
        if seat < len(roles):
            return str(roles[seat])
        return self.user if role_of(dialogue, seat) == "user" else self.system

    def side(self, dialogue: Dialogue, seat: int) -> Side:
        """On which side of the page this seat's turns stand."""
        mine = self.seats.get(dialogue.id)
        if mine is not None:
            return "own" if seat == mine else "partner"
        return "own" if role_of(dialogue, seat) == "user" else "partner"

    def is_rich(self, side: Side) -> bool:
        """Whether what this side says is shown with its Markdown."""
        return self.rich and side == "partner"


@dataclass(frozen=True, slots=True)
class EnteredAnswer:
    """What was entered for one question, when a form comes back: the answer and what is wrong."""

    answer: Any
    error: str = ""
    pastes: PasteCount | None = None


def conversations(
    screen: Screen,
    names: Names,
    answers: Answers,
    entries: Mapping[str, EnteredAnswer],
    feedback: Mapping[str, Feedback],
) -> tuple[ShownTranscript, ...]:
    """The dialogues of a screen, each turn with the questions about it."""
    letters = (
        LETTERS
        if len(screen.dialogues) == 2
        else tuple(names.letters.get(dialogue.id, "") for dialogue in screen.dialogues)
    )
    by_seq = {
        _judged_at(asking.turn): asking for asking in screen.askings if asking.turn is not None
    }

    def transcript(letter: Letter, dialogue: Dialogue) -> ShownTranscript:
        def ask(asking: Asking) -> Asked:
            return asked(asking, names, dialogue, answers, entries)

        example = example_of(dialogue)
        lines = _lines(_without_claims(dialogue, example), names, ask, by_seq, feedback)
        return ShownTranscript(letter=letter, lines=tuple(lines), example=example)

    found = tuple(map(transcript, letters, screen.dialogues))
    marks = judges_response(screen)
    return tuple(_with_mark(t) if marks or t.is_talk_of_example else t for t in found)


def _without_claims(dialogue: Dialogue, example: JudgedExample | None) -> Dialogue:
    """What was said; what a writer claims of it stands beside the conversation."""
    if example is None or not example.talks:
        return dialogue
    said = [event for event in dialogue.events if not (event.data or {}).get("claim")]
    return replace(dialogue, events=said)


def judges_response(screen: Screen) -> bool:
    """Whether a screen is about the last message: a check of attention may stand beside it."""
    return any(asking.question.response for asking in screen.askings)


def common_context(found: tuple[ShownTranscript, ...]) -> ShownTranscript | None:
    """What two conversations have in common before their marked messages; None where they differ."""
    if len(found) != 2 or any(not talk.lines or not talk.lines[-1].marked for talk in found):
        return None
    first, second = (talk.lines[:-1] for talk in found)
    return ShownTranscript(letter="", lines=first) if first and first == second else None


def situation_of(found: tuple[ShownTranscript, ...], *, rich: bool) -> ShownSituation | None:
    """What two texts are about: what stands before the last line of both, its title first.

    None where they are not about the same, or nothing stands before them. Its words are Markdown
    where those of the texts are; its title is not.
    """
    if len(found) != 2 or any(len(talk.lines) < 2 for talk in found):
        return None
    first, second = (talk.lines[:-1] for talk in found)
    if first != second or first[0].text is None:
        return None
    said = tuple(replace(line, rich=rich) for line in first[1:])
    return ShownSituation(title=first[0].text, lines=said)


def last_alone(transcript: ShownTranscript) -> ShownTranscript:
    """A conversation with nothing but its last message."""
    return replace(transcript, lines=transcript.lines[-1:])


def _with_mark(transcript: ShownTranscript) -> ShownTranscript:
    """The conversation with its last message marked; what the house says behind it is not said."""
    said = [n for n, line in enumerate(transcript.lines) if line.side != "house"]
    if not said:
        return transcript
    last = replace(transcript.lines[said[-1]], marked=True)
    return replace(transcript, lines=(*transcript.lines[: said[-1]], last))


def _lines(
    dialogue: Dialogue,
    names: Names,
    ask: Callable[[Asking], Asked],
    by_seq: Mapping[int, Asking],
    feedback: Mapping[str, Feedback],
) -> Iterator[Line]:
    mine, game = names.seats.get(dialogue.id), game_of(dialogue.scenario)
    seats = {seat.index for seat in dialogue.seats}
    speakers = {seat: names.of(dialogue, seat) for seat in seats}
    sides = {seat: names.side(dialogue, seat) for seat in seats}
    for event in dialogue.events:
        if not event.is_turn or event.seat is None:
            continue
        if mine is not None and not event.visible_to(mine):
            continue
        asking = by_seq.get(event.seq)
        words = event.text if event.action == MESSAGE else game.words(event, mine)
        if event.action != MESSAGE and asking is None:
            if words:
                told = words if mine is not None else f"{speakers[event.seat]} {words}"
                yield Line(side="house", speaker="", text=told)
            continue
        yield Line(
            side=sides[event.seat],
            speaker=speakers[event.seat],
            text=words if event.data is not None else None,
            rich=event.action == MESSAGE and names.is_rich(sides[event.seat]),
            asked=() if asking is None else (ask(asking),),
            feedback=None if asking is None else feedback.get(asking.unit.key),
        )


def _judged_at(turn: Turn) -> int:
    """The event that the questions about a turn stand at: its last words, else its last move."""
    said = [event for event in turn.events if event.action == MESSAGE]
    return (said or turn.events)[-1].seq


def whole_questions(
    screen: Screen, names: Names, answers: Answers, entries: Mapping[str, EnteredAnswer]
) -> tuple[Asked, ...]:
    """The questions of a screen that are about whole dialogues."""
    found = [
        asked(asking, names, screen.dialogues[0], answers, entries)
        for asking in screen.askings
        if asking.turn is None
    ]
    compared = {each.question.name: each for each in found if each.question.level == "pairwise"}
    return tuple(_with_sides(each, compared.get(each.question.beside)) for each in found)


def _with_sides(each: Asked, compared: Asked | None) -> Asked:
    """A question beside a comparison, with the names of the sides as far as that is answered."""
    question = None if compared is None else compared.question
    if compared is None or not isinstance(question, Comparative):
        return each
    labels = {"a": question.label_a, "b": question.label_b}
    better = str(compared.answer or "")[-1:]
    if better not in labels or compared.answer in ("tie", "neither"):
        return replace(each, worse=question.worse, better=question.better)
    worse = "b" if better == "a" else "a"
    return replace(each, worse=labels[worse], better=labels[better])


def asked(
    asking: Asking,
    names: Names,
    dialogue: Dialogue,
    answers: Answers,
    entries: Mapping[str, EnteredAnswer],
) -> Asked:
    """One question as the page shows it."""
    entry = entries.get(asking.field)
    stored = answers.get((asking.unit.key, asking.question.name))
    value = None if stored is None else on_screen(asking, stored.value)
    speaker, partner = _meant(names, dialogue, asking.turn)
    return Asked(
        question=asking.question,
        field=asking.field,
        shown=asking.shown,
        speaker=speaker,
        partner=partner,
        answer=value if entry is None else entry.answer,
        error="" if entry is None else entry.error,
        pastes=None if entry is None else entry.pastes,
        rich=asking.turn is not None and names.is_rich(names.side(dialogue, asking.turn.seat)),
    )


def on_screen(asking: Asking, value: Any) -> Any:
    """A stored value as the form holds it: a comparison names the side of the screen there."""
    question, order = asking.question, asking.shown.order
    if isinstance(question, Comparative) and order is not None and isinstance(value, str):
        return question.on_screen(value, order)
    return question.on_form(value)


def _meant(names: Names, dialogue: Dialogue, turn: Turn | None) -> tuple[str, str]:
    """Who is meant by "the speaker" and "the partner" in a question's text."""
    if dialogue.id in names.seats:
        own = turn is not None and turn.seat == names.seats[dialogue.id]
        return ("you", "your partner") if own else ("your partner", "you")
    if turn is not None and role_of(dialogue, turn.seat) == "user":
        return names.user, names.system
    return names.system, names.user


def guides(screen: Screen) -> tuple[Question, ...]:
    """The questions of a screen that explain themselves further."""
    seen = {asking.question.name: asking.question for asking in screen.askings}
    return tuple(q for q in seen.values() if q.definition or q.examples)
