"""What happens to dialogues: context lost, topics changed, people exchanged, turns said twice."""

import random
from dataclasses import replace
from typing import Any

from palaver.evaluation.perturbations.perturbation import Perturbation, Talk
from palaver.evaluation.perturbations.typing_errors import typos
from palaver.evaluation.perturbations.vocabulary import lines


def dropped_context(talk: Talk, draws: random.Random) -> Talk:
    """The dialogue from a later turn on; the user's last turn, and one that is asked about, stay."""
    last = max(talk.user_turns, default=len(talk.turns) - 1)
    last = last if talk.asked is None else min(last, talk.asked)
    if last < 1:
        return talk
    return replace(talk, turns=talk.turns[draws.randint(1, last) :])


def topic_jump(talk: Talk, draws: random.Random) -> Talk:
    """The user says something about another matter before one of their turns."""
    if not talk.user_turns:
        return talk
    at = draws.choice(talk.user_turns)
    jump = draws.choice(lines("topics"))
    new = talk.turns[at] | {"text": jump}
    return replace(talk, turns=(*talk.turns[:at], new, *talk.turns[at:]))


def turn_repetition(talk: Talk, draws: random.Random) -> Talk:
    """One turn is said twice in a row."""
    if not talk.turns:
        return talk
    at = draws.randrange(len(talk.turns))
    return replace(talk, turns=(*talk.turns[: at + 1], *talk.turns[at:]))


def persona_switch(talk: Talk, draws: random.Random) -> Talk:
    """Somebody is somebody else.

    Where there are two personas or more, each speaker gets the next one's. A single persona is
    replaced by another. Without any, another person takes over for the user in the second half.
    """
    if len(talk.personas) > 1:
        return replace(talk, personas=(*talk.personas[1:], talk.personas[0]))
    if talk.personas:
        return replace(talk, personas=(_another(talk.personas[0], draws),))
    later = [n for n in talk.user_turns if n >= len(talk.turns) // 2] or talk.user_turns[-1:]
    if not later:
        return talk
    turns: list[dict[str, Any]] = list(talk.turns)
    at, arrival = later[0], draws.choice(lines("arrivals"))
    turns[at] = turns[at] | {"text": f"{arrival} {turns[at]['text']}"}
    return replace(talk, turns=tuple(turns))


def _another(persona: tuple[str, ...], draws: random.Random) -> tuple[str, ...]:
    """As many lines of a persona of ours, or one."""
    known = [line for line in lines("personas") if line not in persona]
    return tuple(draws.sample(known, min(len(known), max(1, len(persona)))))


DROPPED_CONTEXT = Perturbation(
    name="dropped_context",
    kind="dialogue",
    level="dialogue",
    about="Leaves out turns at the beginning; the user's last turn stays.",
    example=[["user", "Hi"], ["system", "Hello"], ["user", "A table for two?"]],
    function=dropped_context,
)
TOPIC_JUMP = Perturbation(
    name="topic_jump",
    kind="dialogue",
    level="dialogue",
    about="Has the user say something off topic before one of their turns.",
    example=[["user", "My cat likes boxes."], ["user", "A table for two?"]],
    function=topic_jump,
)
TYPO_USER = Perturbation(
    name="typo_user",
    kind="dialogue",
    level="character",
    about="Puts typing errors into what the user says, and only there.",
    example=[["user", "A tabel for two?"], ["system", "For when?"]],
    function=typos,
    user_only=True,
)
PERSONA_SWITCH = Perturbation(
    name="persona_switch",
    kind="dialogue",
    level="dialogue",
    about="Swaps personas; if there are none, another person takes over for the user.",
    example=[["user", "This is Maria now, Tom had to leave. A table for two?"]],
    function=persona_switch,
)
TURN_REPETITION = Perturbation(
    name="turn_repetition",
    kind="dialogue",
    level="dialogue",
    about="Repeats one turn.",
    example=[["user", "A table for two?"], ["user", "A table for two?"]],
    function=turn_repetition,
)
