"""Two systems talk on virtual time."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError, SystemFailureError
from palaver.core.events import END, FAILURE, NOBODY, Event, Move, say
from palaver.core.protocols import Place
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.evaluation.selfplay import play, play_many, store_dialogue
from palaver.games.open_chat.rules import OpenChat
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.studies.studies import register_study
from palaver.systems.build import build_system
from support.databases import new_sqlite

NAMES = ("left", "right")


def scripted(*lines: str, **options):
    return build_system("bot", {"kind": "scripted", "lines": list(lines), **options}, folder=Path())


class Speaker:
    """A system that answers with what `speak` returns, and remembers what its seat received."""

    def __init__(self, speak) -> None:
        self.speak = speak
        self.received: list[Event] = []
        self.place: Place | None = None
        self.closed = 0

    def new_session(self, place: Place) -> "Speaker":
        self.place = place
        return self

    def receive(self, event: Event) -> None:
        self.received.append(event)

    async def send(self, draft=None) -> Sequence[Move]:
        return self.speak(self)

    async def close(self) -> None:
        self.closed += 1


def fail(_speaker: Speaker) -> list[Move]:
    raise SystemFailureError("timeout", "No answer within 30 s.", attempts=3)


def talk(_speaker: Speaker) -> list[Move]:
    return [say("well")]


def played(game: OpenChat, left, right, *, scenario: Scenario | None = None, **options) -> Dialogue:
    given = {"dialogue_id": "d", "seed": 1, "clock": VirtualClock(), "max_turns": 20, **options}
    return asyncio.run(play(game, (left, right), scenario or Scenario(), names=NAMES, **given))


def spoken(dialogue: Dialogue) -> list[tuple[int | None, str]]:
    return [(event.seat, event.text) for event in dialogue.events if event.action == "message"]


def test_two_systems_talk_until_the_game_is_over():
    dialogue = played(OpenChat(exactly=4), scripted("hi", "bye"), scripted("hello", "so long"))

    assert spoken(dialogue) == [(0, "hi"), (1, "hello"), (0, "bye"), (1, "so long")]
    assert dialogue.reason == "complete"
    assert [seat.occupant for seat in dialogue.seats] == ["left", "right"]


def test_the_first_speaker_is_drawn_by_lot():
    game = OpenChat(exactly=2, opens=None)
    openers = {
        spoken(played(game, scripted("hi"), scripted("ho"), dialogue_id=f"d{n}"))[0][0]
        for n in range(12)
    }

    assert openers == {0, 1}


def test_virtual_time_passes_where_systems_pause():
    dialogue = played(OpenChat(exactly=2), scripted("hi", delay=60), scripted("hello", delay=5))

    assert [event.time for event in dialogue.events] == [60.0, 65.0, 65.0]


def test_typing_takes_time_by_the_length_of_the_message():
    dialogue = played(
        OpenChat(exactly=2),
        scripted("hi"),
        scripted("hello"),
        pause=lambda move: float(len((move.data or {})["text"])),
    )

    assert [event.time for event in dialogue.events] == [2.0, 7.0, 7.0]


def test_both_seats_receive_every_event_they_may_see():
    def whisper(speaker: Speaker) -> list[Move]:
        return [Move(action="message", data={"text": "psst"}, audience=(speaker.place.seat,))]

    left, right = Speaker(whisper), Speaker(talk)
    dialogue = played(OpenChat(exactly=2), left, right)

    assert left.received == dialogue.events
    assert [event.text for event in right.received] == ["well", ""]
    assert right.received[-1].action == END


def test_seeds_stand_first_and_are_heard():
    seeds = (SeedUtterance(seat=0, text="Hello."), SeedUtterance(seat=1, text="Hi."))
    left, right = Speaker(talk), Speaker(talk)

    dialogue = played(OpenChat(exactly=3), left, right, scenario=Scenario(seeds=seeds))

    assert spoken(dialogue) == [(0, "Hello."), (1, "Hi."), (0, "well")]
    assert [event.text for event in left.received[:2]] == ["Hello.", "Hi."]


@pytest.mark.parametrize("taking", ["alternate", "free"])
def test_two_silences_end_the_dialogue(taking):
    mute = scripted("hi", then="silence")

    dialogue = played(OpenChat(taking=taking), mute, scripted("hello", then="silence"))

    assert len(spoken(dialogue)) == 2
    assert dialogue.reason == "stalled"


def test_a_dialogue_is_cut_at_the_most_turns():
    dialogue = played(OpenChat(), scripted("hi"), scripted("hello"), max_turns=5)

    assert (len(spoken(dialogue)), dialogue.reason) == (5, "max_turns")


def test_the_game_ends_before_the_most_turns_do():
    dialogue = played(OpenChat(exactly=5), scripted("hi"), scripted("hello"), max_turns=5)

    assert dialogue.reason == "complete"


def test_a_system_that_fails_three_times_ends_the_dialogue():
    left, right = Speaker(talk), Speaker(fail)

    dialogue = played(OpenChat(exactly=10), left, right)

    failures = [event for event in dialogue.events if event.action == FAILURE]
    assert [event.data for event in failures] == [
        {"kind": "timeout", "detail": "No answer within 30 s.", "attempts": 3}
    ] * 3
    assert {event.seat for event in failures} == {1}
    assert {event.audience for event in failures} == {NOBODY}
    assert dialogue.reason == "system_failed"
    assert dialogue.ending.data["outcome"] == {"seat": 1}
    assert not any(event.action == FAILURE for event in left.received + right.received)


def test_a_system_that_cannot_even_open_lets_the_other_speak_and_then_ends_the_dialogue():
    dialogue = played(OpenChat(exactly=9), Speaker(fail), Speaker(talk))

    actions = [event.action for event in dialogue.events]
    assert actions == [FAILURE, "message", FAILURE, "message", FAILURE, END]
    assert dialogue.reason == "system_failed"


def test_after_one_failure_the_dialogue_goes_on():
    dialogue = played(OpenChat(exactly=6), scripted("hi"), scripted("hello", fails=[1]))

    assert [event.action for event in dialogue.events[:3]] == ["message", FAILURE, "message"]
    assert (dialogue.message_count, dialogue.reason) == (6, "complete")


def test_an_illegal_move_is_refused_and_recorded():
    dialogue = played(OpenChat(exactly=9), Speaker(lambda _: [say("  ")]), Speaker(talk))

    assert {seat for seat, _ in spoken(dialogue)} == {1}
    assert dialogue.events[0].data == {
        "kind": "illegal",
        "detail": "An empty message was not sent.",
        "code": "empty",
    }
    assert dialogue.reason == "system_failed"


def test_what_follows_an_illegal_move_is_not_made():
    chatty = Speaker(lambda _: [say("one"), say("two"), say("three")])

    dialogue = played(OpenChat(exactly=3), chatty, Speaker(talk))

    assert spoken(dialogue) == [(0, "one"), (1, "well"), (0, "one")]


def test_nothing_is_said_after_the_end():
    chatty = Speaker(lambda _: [say("one"), say("two"), say("three")])

    dialogue = played(OpenChat(exactly=2, taking="free"), chatty, chatty)

    assert [event.action for event in dialogue.events] == ["message", "message", END]


def test_sessions_are_closed_when_the_dialogue_is_over():
    left, right = Speaker(talk), Speaker(talk)
    played(OpenChat(exactly=2), left, right)

    assert (left.closed, right.closed) == (1, 1)


def test_another_error_of_a_system_is_not_hidden():
    def broken(_speaker: Speaker) -> list[Move]:
        raise ZeroDivisionError

    left, right = Speaker(broken), Speaker(talk)
    with pytest.raises(ZeroDivisionError):
        played(OpenChat(exactly=2), left, right)

    assert left.closed == 1


def test_at_least_one_turn_must_be_allowed():
    with pytest.raises(InputError, match="'max_turns' must be 1 or more; got 0"):
        played(OpenChat(), scripted("hi"), scripted("ho"), max_turns=0)


class Gambler:
    """A system whose words depend on the dice of its place, and whose pace on the moon."""

    def new_session(self, place: Place) -> Speaker:
        session = Speaker(lambda s: [say(f"{place.rng.randrange(1000)}")])
        session.place = place
        waited = session.send

        async def send(draft=None):
            for _ in range(random.randrange(5)):
                await asyncio.sleep(0)
            await place.clock.sleep(place.rng.random())
            return await waited(draft)

        session.send = send
        return session

    async def close(self) -> None:
        """Nothing to let go of."""


def tournament(**options) -> list[Dialogue]:
    async def collect() -> list[Dialogue]:
        game = OpenChat(exactly=6, opens=None)
        given = {"names": NAMES, "count": 12, "max_turns": 20, "seed": 7, **options}
        return [d async for d in play_many(game, (Gambler(), Gambler()), **given)]

    return asyncio.run(collect())


def test_a_seed_gives_the_same_dialogues_whatever_the_concurrency():
    alone, together = tournament(concurrency=1), tournament(concurrency=5)

    assert alone == together
    assert [dialogue.id for dialogue in alone] == [f"selfplay-7-{n}" for n in range(12)]


def test_another_seed_gives_other_dialogues():
    assert spoken(tournament()[0]) != spoken(tournament(seed=8)[0])


def test_each_dialogue_draws_its_own_scenario():
    dialogues = tournament(draw_scenario=lambda rng: Scenario(id=str(rng.randrange(1000))))

    assert len({dialogue.scenario.id for dialogue in dialogues}) > 6


def test_each_dialogue_has_a_clock_of_its_own():
    firsts = {dialogue.events[0].time for dialogue in tournament(start=1000.0)}

    assert len(firsts) == 12
    assert all(1000 <= first < 1001 for first in firsts)


def test_not_more_than_allowed_are_played_at_a_time():
    open_now: list[int] = []
    most = 0

    class Counting(Gambler):
        def new_session(self, place: Place) -> Speaker:
            nonlocal most
            session = super().new_session(place)
            open_now.append(1)
            most = max(most, len(open_now))
            closed = session.close

            async def close() -> None:
                open_now.pop()
                await closed()

            session.close = close
            return session

    async def collect() -> None:
        counting = Counting()
        async for _ in play_many(
            OpenChat(exactly=4),
            (counting, counting),
            names=NAMES,
            count=10,
            max_turns=9,
            seed=1,
            concurrency=3,
        ):
            pass

    asyncio.run(collect())

    assert most == 6
    assert open_now == []


def test_leaving_early_ends_what_is_still_being_played():
    async def first_only() -> int:
        players = play_many(
            OpenChat(),
            (Gambler(), Gambler()),
            names=NAMES,
            count=50,
            max_turns=3,
            seed=1,
            concurrency=10,
        )
        async for _ in players:
            break
        await players.aclose()
        return len(asyncio.all_tasks())

    assert asyncio.run(first_only()) == 1


@pytest.fixture
def store(tmp_path):
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


@pytest.fixture
def study_id(store):
    return store.write_now(
        lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
    )


def test_a_stored_dialogue_is_the_one_that_was_played(store, study_id):
    seeds = (SeedUtterance(seat=1, text="Hello."),)
    dialogue = played(
        OpenChat(exactly=5),
        scripted("hi", fails=[2]),
        scripted("hello", delay=2),
        scenario=Scenario(seeds=seeds),
        clock=VirtualClock(1000.0),
    )

    key = store.write_now(lambda c: store_dialogue(c, study_id, dialogue, condition="left+right"))

    stored = store.read_now(lambda c: load_dialogue(c, key))
    assert stored.dialogue.events == dialogue.events
    assert stored.dialogue.seats == dialogue.seats
    assert stored.dialogue.reason == dialogue.reason
    assert (stored.created, stored.dialogue.condition) == (1000.0, "left+right")


def test_a_dialogue_without_its_seeds_is_not_stored(store, study_id):
    record = DialogueRecord(
        id="d",
        study="s",
        scenario=Scenario(seeds=(SeedUtterance(seat=0, text="Hello."),)),
        seats=[],
        events=[Event(seq=1, seat=0, action="message", data={"text": "hi"}, time=0.0)],
    )

    with pytest.raises(InputError, match="does not begin with its scenario's seeds"):
        store.write_now(lambda c: store_dialogue(c, study_id, record.dialogue()))
