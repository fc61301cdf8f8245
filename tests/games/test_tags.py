"""Systems that know words alone play games with tags: read, told what was wrong, never believed."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import FAILURE, Event, Move, say
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play
from palaver.games.game import GAMES
from palaver.games.tags import read_reply
from palaver.studies.play.players import build_player, system_at
from support.endpoints import serving, speaking

pytestmark = pytest.mark.usefixtures("offered")

NUMBERS = Scenario(
    id="n", game="number_guess", kbs=({"number": 123}, {"number": 456}), extra={"digits": 3}
)
GUESS = Move(action="guess", data={"number": 456})


def read(text: str) -> tuple[Move, ...]:
    return read_reply(text, GAMES.get("number_guess"), NUMBERS.seen_by(0), 0)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("Hello there", (say("Hello there"),)),
        ("<guess> 456", (GUESS,)),
        ("I know it!\n<guess> 456", (say("I know it!"), GUESS)),
        ("I know it: <GUESS> 456", (say("I know it:"), GUESS)),
        ("<guess>456</guess> Was I right?", (say("Was I right?"), GUESS)),
        ("<quit/>", (Move(action="quit"),)),
        ("I love you <3, 2 < 3 > 1", (say("I love you <3, 2 < 3 > 1"),)),
        ('{"say": "I know it!", "move": "<guess> 456"}', (say("I know it!"), GUESS)),
        ('{"move": {"action": "guess", "number": 456}}', (GUESS,)),
        ('{"move": {"action": "guess", "words": "456"}}', (GUESS,)),
        ('{"move": {"action": "guess", "data": {"number": 456}}}', (GUESS,)),
        ('```json\n{"say": "Mine is 123."}\n```', (say("Mine is 123."),)),
        ('{"say": null, "move": null}', ()),
        ("", ()),
    ],
)
def test_words_and_moves_are_told_apart(text: str, moves: tuple[Move, ...]) -> None:
    assert read(text) == moves


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<offer> 120", "There is no tag '<offer>'"),
        ("<guess> four", "<guess> takes a number; got 'four'"),
        ("<guess> 1\n<guess> 2", "more than one tag"),
        ("<guess> 1 <quit>", "more than one tag"),
        ('{"say": "x", "mood": 1}', "Unknown key 'mood'"),
        ('{"say": 7}', '"say" takes text'),
        ('{"say": }', "This is not a JSON object"),
        ('{"move": "just words"}', '"move" takes one tag'),
        ('{"move": {"action": "message", "text": "x"}}', '"move" takes a tag'),
        ('{"move": {"action": "end", "reason": "won"}}', '"move" takes a tag'),
        ('{"move": ["guess"]}', '"move" takes a tag'),
    ],
)
def test_what_cannot_be_understood_is_refused_whole(text: str, said: str) -> None:
    with pytest.raises(MoveError, match=said):
        read(text)


def played(one: dict[str, Any], other: dict[str, Any], **more: Any) -> Dialogue:
    async def run() -> Dialogue:
        systems = [
            build_player(name, {"backoff": 0.0, **options}, folder=Path())
            for name, options in (("one", one), ("other", other))
        ]
        rules = GAMES.get("number_guess").options_type().rules(None, folder=Path())
        dialogue = await play(
            rules,
            systems,
            more.get("scenario", NUMBERS),
            names=("one", "other"),
            dialogue_id="d",
            seed=1,
            clock=VirtualClock(),
            max_turns=20,
        )
        for system in systems:
            await system.close()
        return dialogue

    return asyncio.run(run())


def scripted(*lines: str) -> dict[str, Any]:
    return {"kind": "scripted", "lines": list(lines), "then": "silence"}


RULE = {"kind": "python", "class": "number_guess.bots:Teller"}


def moves(dialogue: Dialogue) -> list[tuple[int | None, str]]:
    return [
        (event.seat, event.text or str((event.data or {}).get("number", "")))
        for event in dialogue.events
        if event.is_turn
    ]


def test_a_scripted_system_plays_with_a_bot_of_the_game() -> None:
    dialogue = played(scripted("Mine is 123.", "Thank you!\n<guess> 456"), RULE)
    assert sorted(moves(dialogue)) == [
        (0, "456"),
        (0, "Mine is 123."),
        (0, "Thank you!"),
        (1, "123"),
        (1, "Mine is 456."),
    ]
    assert dialogue.outcome["success"] is True


def test_a_reply_that_stays_unreadable_is_a_failure_and_no_move() -> None:
    line = {"kind": "scripted", "lines": ["<offer> 120"]}
    dialogue = played(line, RULE)
    [first, *_] = [event for event in dialogue.events if event.action == FAILURE]
    assert first.data is not None
    assert first.data["kind"] == "garbage"
    assert "is no move of 'number_guess': There is no tag '<offer>'" in first.data["detail"]
    assert (dialogue.reason, dialogue.message_counts.get(0)) == ("system_failed", None)


Reply = Callable[[list[dict[str, str]]], str]


@contextmanager
def model(reply: Reply) -> Iterator[tuple[dict[str, Any], list[list[dict[str, str]]]]]:
    """A language model behind an address, and every list of messages that it was sent."""
    asked: list[list[dict[str, str]]] = []

    def answer(messages: list[dict[str, str]]) -> str:
        asked.append(messages)
        return reply(messages)

    with serving(speaking(answer)) as endpoint:
        yield system_at(f"openai:{endpoint.url}#tiny"), asked


def test_a_language_model_is_told_the_game_and_what_it_alone_knows() -> None:
    def reply(messages: list[dict[str, str]]) -> str:
        heard = [m["content"] for m in messages if m["role"] == "user"]
        found = [text for text in heard if text.startswith("Mine is ")]
        if found and any(m["role"] == "assistant" for m in messages):
            return f"Ha!\n<guess> {found[-1].removeprefix('Mine is ').rstrip('.')}"
        return "Mine is 123."

    with model(reply) as (options, asked):
        dialogue = played(options, RULE)
    assert dialogue.outcome["success"] is True
    told = asked[0][0]
    assert told["role"] == "system"
    assert "Your number is 123; your partner's has 3 digits, too." in told["content"]
    assert "Tags: <guess> 123 guesses that number" in told["content"]
    assert "456" not in told["content"]


def test_a_language_model_is_told_what_was_wrong_and_asked_again() -> None:
    def reply(messages: list[dict[str, str]]) -> str:
        last = messages[-1]["content"]
        if "takes a number" in last:
            return "<guess> 456"
        return "Sure.\n<guess> four hundred"

    with model(reply) as (options, asked):
        dialogue = played(options, RULE)
    assert not [event for event in dialogue.events if event.action == FAILURE]
    assert (0, "456") in moves(dialogue)
    said, told = asked[-1][-2:]
    assert (said["role"], said["content"]) == ("assistant", "Sure.\n<guess> four hundred")
    assert "[This was not sent. <guess> takes a number; got 'four hundred'." in told["content"]


def test_a_move_that_the_rules_refuse_is_told_before_the_next_answer() -> None:
    def reply(messages: list[dict[str, str]]) -> str:
        if "not a guess" in messages[-1]["content"]:
            return '{"move": {"action": "guess", "number": 456}}'
        return '{"move": {"action": "guess", "number": "456"}}'

    with model(reply) as (options, asked):
        dialogue = played(options, RULE)
    assert [event.data["kind"] for event in dialogue.events if event.action == FAILURE] == [
        "illegal"
    ]
    assert (0, "456") in moves(dialogue)
    assert "<guess> 456" in asked[-1][-2]["content"]


def test_mistakes_are_forgotten_with_the_answer() -> None:
    replies = iter(["<offer> 1", "Mine is 123.", "<guess> 456"])
    with model(lambda messages: next(replies)) as (options, asked):
        dialogue = played(options, RULE)
    assert dialogue.outcome["success"] is True
    assert any("There is no tag" in message["content"] for message in asked[1])
    assert not any("There is no tag" in message["content"] for message in asked[2])


def test_moves_are_heard_as_tags_together_with_the_words_before_them() -> None:
    def event(seq: int, seat: int, move: Move) -> Event:
        return Event(seq=seq, seat=seat, action=move.action, data=move.data, time=0.0)

    async def ask(options: dict[str, Any]) -> None:
        system = build_player("tiny", options, folder=Path())
        place = Place(
            dialogue="d", seat=1, scenario=NUMBERS, clock=VirtualClock(), rng=random.Random(1)
        )
        session = system.new_session(place)
        for number, (seat, move) in enumerate([(0, say("Hm.")), (0, GUESS), (1, say("Oh."))], 1):
            session.receive(event(number, seat, move))
        await session.send()
        await system.close()

    with model(lambda messages: "Well.") as (options, asked):
        asyncio.run(ask(options))
    assert [(m["role"], m["content"]) for m in asked[0][1:]] == [
        ("user", "Hm.\n<guess> 456"),
        ("assistant", "Oh."),
    ]


def test_in_open_chat_a_tag_is_nothing_but_words() -> None:
    async def said() -> str:
        system = build_player("bot", scripted("<offer> your seat"), folder=Path())
        place = Place(
            dialogue="d", seat=1, scenario=Scenario(), clock=VirtualClock(), rng=random.Random(1)
        )
        [move] = await system.new_session(place).send()
        return str((move.data or {})["text"])

    assert asyncio.run(said()) == "<offer> your seat"
