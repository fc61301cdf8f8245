"""The bots: they find the friend, understand people, do not repeat themselves, can be rebuilt."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.events import Event, Move, say
from palaver.core.protocols import Place, System
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play
from palaver.games.mutual_friends.bots import FindingSession, RandomFinder, RuleFinder
from palaver.games.mutual_friends.generator import MutualFriendsGenerator
from palaver.games.mutual_friends.rules import MutualFriends
from palaver.games.mutual_friends.speech import SENTENCES
from palaver.games.sentences import load_sentences
from support.friends import ADA, BO, CY, small_scenario

WITHIN = 20


def scenarios(count: int) -> list[Scenario]:
    """Scenarios as CoCoA collected dialogues with: 5 to 12 friends, 3 or 4 attributes."""
    generator = MutualFriendsGenerator(random_items=True, random_attributes=True)
    return list(generator.generate(count, random.Random(1)))


def play_all(
    systems: Sequence[System], given: Sequence[Scenario], **options: Any
) -> list[Dialogue]:
    rules = MutualFriends(scenarios=tuple(given), **options)

    async def run() -> list[Dialogue]:
        return [
            await play(
                rules,
                systems,
                scenario,
                names=("one", "other"),
                dialogue_id=f"d{number}",
                seed=1,
                clock=VirtualClock(),
                max_turns=WITHIN,
            )
            for number, scenario in enumerate(given)
        ]

    return asyncio.run(run())


def reasons(dialogues: list[Dialogue]) -> Counter[str]:
    return Counter(dialogue.reason for dialogue in dialogues)


def share(dialogues: list[Dialogue]) -> float:
    return reasons(dialogues)["complete"] / len(dialogues)


def session(seat: int = 0, given: Scenario | None = None, dice: str = "1") -> FindingSession:
    scenario = (given or small_scenario()).seen_by(seat)
    rng = random.Random(dice)
    place = Place(dialogue="d", seat=seat, scenario=scenario, clock=VirtualClock(), rng=rng)
    return RuleFinder().new_session(place)


def tell(bot: FindingSession, *moves: tuple[int, Move]) -> None:
    for seat, move in moves:
        seq = bot.received + 1
        bot.receive(Event(seq=seq, seat=seat, action=move.action, data=move.data, time=float(seq)))


def answer(bot: FindingSession) -> Move:
    [move] = asyncio.run(bot.send())
    return move


def test_the_rule_bot_finds_the_friend_and_beats_chance() -> None:
    given = scenarios(60)
    bot, chance = RuleFinder(), RandomFinder()
    played = play_all([bot, bot], given)
    assert set(reasons(played)) <= {"complete", "max_turns"}
    assert share(played) >= 0.9
    assert share(play_all([chance, chance], given)) < 0.6
    assert all(event.action != "failure" for dialogue in played for event in dialogue.events)


@pytest.mark.long
def test_the_rule_bot_on_a_thousand_scenarios() -> None:
    given = scenarios(1000)
    bot, chance = RuleFinder(), RandomFinder()
    played, by_lot = play_all([bot, bot], given), play_all([chance, chance], given)
    turns = [sum(event.is_turn for event in dialogue.events) for dialogue in played]
    print(f"rule {share(played):.3f}, random {share(by_lot):.3f}, turns {sum(turns) / 1000:.1f}")
    assert reasons(played)["stalled"] == reasons(played)["system_failed"] == 0
    assert share(played) >= 0.9
    assert share(by_lot) < 0.6


def test_it_plays_where_turns_alternate_and_selections_are_hidden() -> None:
    given, bot = scenarios(20), RuleFinder()
    alternating = play_all([bot, bot], given, taking="alternate")
    hidden = play_all([bot, bot], given, show_selections=False)
    assert share(alternating) >= 0.9
    for dialogue in (*alternating, *hidden):
        assert all(event.action != "failure" for event in dialogue.events)


def test_it_does_not_click_through_its_table() -> None:
    played = play_all([RuleFinder(), RuleFinder()], scenarios(40))
    selects = [
        sum(event.action == "select" and event.seat == seat for event in dialogue.events)
        for dialogue in played
        for seat in (0, 1)
    ]
    assert sum(count > 3 for count in selects) <= 2


def test_it_says_nothing_twice() -> None:
    assert load_sentences(SENTENCES).count >= 300
    for dialogue in play_all([RuleFinder(), RuleFinder()], scenarios(20)):
        for seat in (0, 1):
            texts = [e.text for e in dialogue.events if e.seat == seat and e.text]
            assert len(set(texts)) == len(texts)


def test_a_session_is_rebuilt_by_replaying_the_events() -> None:
    [dialogue] = play_all([RuleFinder(), RuleFinder()], scenarios(4)[3:])
    own = [event for event in dialogue.events if event.is_turn]
    assert len(own) > 4
    for event in own:
        assert event.seat is not None
        bot = session(event.seat, dialogue.scenario, dice=f"1:d0:{event.seat}")
        for earlier in dialogue.events[: event.seq - 1]:
            bot.receive(earlier)
        assert answer(bot) == Move(action=event.action, data=event.data)


def test_the_partners_choice_is_taken_where_one_has_the_friend() -> None:
    bot = session()
    tell(bot, (1, Move(action="select", data={"item": ADA})))
    assert answer(bot) == Move(action="select", data={"item": ADA})
    other = session()
    tell(other, (1, Move(action="select", data={"item": CY})))
    assert answer(other).action == "message"


def test_a_person_who_lacks_something_rules_friends_out() -> None:
    bot = session()
    tell(bot, (0, say("Do you have friends who like hiking?")), (1, say("nope, none at all")))
    assert bot.beliefs.alive == [0]
    assert answer(bot) == Move(action="select", data={"item": ADA})


def test_a_person_who_describes_a_friend_is_understood() -> None:
    bot = session()
    tell(bot, (1, say("hey! i've got one who studied law and is into hiking")))
    assert answer(bot) == Move(action="select", data={"item": BO})


def test_a_question_is_answered_with_a_number() -> None:
    bot = session()
    tell(bot, (1, say("Do any of your friends like yoga?")))
    text = answer(bot).data["text"].lower()
    assert bot._read(text, bot.heard.asked[0]).claims[0].count == 0
    bot = session()
    tell(bot, (1, say("how many of yours did law?")))
    claims = bot._read(answer(bot).data["text"], bot.heard.asked[0]).claims
    assert any(claim.every or claim.count == 2 for claim in claims), bot.heard


@pytest.mark.parametrize(
    "text", ["?", "asdf qwer", "🙂", "I don't know", "what majors?", "x" * 2000]
)
def test_it_always_has_an_answer(text: str) -> None:
    bot = session()
    for _ in range(12):
        tell(bot, (1, say(text)))
        move = answer(bot)
        assert move.action == "select" or move.data["text"].strip()
        tell(bot, (0, move))


def test_it_plays_with_values_of_another_schema() -> None:
    scenario = small_scenario()
    [dialogue] = play_all([RuleFinder(), RuleFinder()], [scenario])
    assert dialogue.reason == "complete"
