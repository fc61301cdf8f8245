"""A game of another package, in the core, in self-play, in the study file and at the desk."""

import asyncio
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import MoveError
from palaver.core.events import Event, Move, say
from palaver.core.protocols import Composer, Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play_many, store_dialogue
from palaver.games.game import GAMES, Setting, game_of
from palaver.storage.studies.studies import register_study
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.systems.build import build_system
from support.desks import open_desk
from support.games import GUESSING, write_guessing

pytestmark = pytest.mark.usefixtures("offered")


def guess(number: object, **more: object) -> Move:
    return Move(action="guess", data={"number": number, **more})


@pytest.fixture
def conversation(guessing: Path) -> Conversation:
    """A dialogue of two people whose numbers are 111111111 and 222222222."""
    chat = load_study(guessing).chat
    assert chat is not None
    kbs = ({"number": 111111111}, {"number": 222222222})
    scenario = Scenario(id="numbers", game="number_guess", kbs=kbs)
    seats = [Seat(index=n, kind="person", occupant=f"p{n}") for n in (0, 1)]
    dialogue = Dialogue(id="d", scenario=scenario, seats=seats)
    return Conversation(dialogue, chat.game_rules(guessing))


def make(conversation: Conversation, seat: int, move: Move) -> list[Event]:
    events = conversation.consider(seat, move, 1.0)
    conversation.apply(events)
    return events


def test_a_guess_is_private_and_closes_the_composer(conversation: Conversation) -> None:
    assert conversation.composer(0) == Composer()
    [event] = make(conversation, 0, guess(222222222))
    assert (event.audience, event.seen_by(1)) == ((0,), None)
    assert conversation.movers() == {1}
    assert conversation.composer(0).closed == "You have guessed. Your partner has not yet."
    with pytest.raises(MoveError, match="You have guessed") as refused:
        conversation.consider(0, say("One more thing"), 2.0)
    assert refused.value.code == "closed"
    assert conversation.composer(1) == Composer()


@pytest.mark.parametrize("move", [guess("7"), guess(7, seed=True), Move(action="guess")])
def test_a_guess_says_one_number_and_nothing_else(conversation: Conversation, move: Move) -> None:
    with pytest.raises(MoveError, match="This is not a guess"):
        conversation.consider(0, move, 1.0)


def test_each_seat_is_told_its_own_reward(conversation: Conversation) -> None:
    make(conversation, 0, guess(222222222))
    _, end = make(conversation, 1, guess(3))
    dialogue = conversation.dialogue
    assert dialogue.outcome == {"success": False, "reward": {"0": 10.0, "1": 0.0}}
    assert end.seen_by(1).data["outcome"] == {"success": False, "reward": {"1": 0.0}}
    tell = GAMES.get("number_guess").tell
    assert [tell(end.seen_by(seat), seat) for seat in (0, 1)] == [
        "You earned 10 points.",
        "You earned 0 points.",
    ]
    assert [event.action for event in dialogue.after(0, seat=1)] == ["guess", "end"]


def test_checks_wait_for_the_end(conversation: Conversation) -> None:
    game = game_of(conversation.dialogue.scenario)
    make(conversation, 0, say("Hello"))
    make(conversation, 0, guess(1))
    assert game.findings(conversation.dialogue) == ()
    make(conversation, 1, guess(1))
    [finding] = game.findings(conversation.dialogue)
    assert (finding.check, finding.seat) == ("never_spoke", 1)


# Too little to count


def wordy(*kinds: str) -> Conversation:
    """A dialogue of people and systems in which a message of each person is asked for."""
    seats = [Seat(index=n, kind=kind, occupant=f"p{n}") for n, kind in enumerate(kinds)]  # type: ignore[arg-type]
    kbs = ({"number": 1}, {"number": 2})
    dialogue = Dialogue(id="d", scenario=Scenario(game="number_guess", kbs=kbs), seats=seats)
    options = GAMES.get("number_guess").options_type.model_validate({"least_messages": 1})
    return Conversation(dialogue, options.rules(Setting(), folder=Path()))


def test_too_little_ends_it_as_something_that_does_not_count() -> None:
    conversation = wordy("person", "person")
    make(conversation, 0, say("Hello"))
    make(conversation, 0, guess(2))
    _, end = make(conversation, 1, guess(1))
    words = "You wrote 0 messages; at least 1 were asked for."
    assert end.data is not None
    assert (end.data["reason"], end.data["shortcomings"]) == ("insufficient", {"1": words})
    assert end.data["outcome"]["success"]
    assert conversation.dialogue.shortcomings == {1: words}
    hers, his = end.seen_by(0), end.seen_by(1)
    assert hers is not None
    assert his is not None
    assert hers.data == {"reason": "complete", "outcome": {"success": True, "reward": {"0": 10.0}}}
    assert his.data is not None
    assert his.data["shortcomings"] == {"1": words}


def test_systems_never_do_too_little() -> None:
    conversation = wordy("system", "system")
    make(conversation, 0, guess(2))
    _, end = make(conversation, 1, guess(1))
    assert (end.data or {})["reason"] == "complete"


def test_what_a_person_did_before_a_system_took_over_is_not_held_against_anybody() -> None:
    conversation = wordy("person", "person")
    taken = Move(action="takeover", data={"system": "teller"}, audience=())
    make(conversation, 0, say("Hello"))
    conversation.apply(conversation.note(1, taken, 1.0))
    make(conversation, 0, guess(2))
    _, end = make(conversation, 1, guess(1))
    assert (end.data or {})["reason"] == "complete"


@pytest.mark.parametrize(
    ("chat", "said"),
    [
        ("{practice: true, arrangement: people, conditions: [{people: true}]}", "Practice is with"),
        ("{practice: true, blind: true, conditions: teller}", "told that it is a program"),
        ("{practice: true, conditions: 'teller:3'}", "Practice has no quota"),
        ("{conditions: [{systems: teller, needed: 1, per_scenario: 1}]}", "not both"),
        ("{conditions: [{systems: teller, per_scenario: 1}]}", "needs scenarios that can be"),
        (
            "{arrangement: people, conditions: [{people: true}], nobody_comes: again}",
            "'nobody_comes' is 'pay' or the name of a system",
        ),
        ("{conditions: teller, retries: -1}", "retries"),
    ],
)
def test_a_stage_that_contradicts_itself_says_so(tmp_path: Path, chat: str, said: str) -> None:
    second = f"  - chat: {chat.replace('{', '{game: number_guess, ', 1)}\n  - rate: {{}}"
    folder = write_guessing(tmp_path / "s", GUESSING.replace("  - rate: {}", second))
    assert any(said in str(problem) for problem in check_study(folder))


def test_practice_alone_is_no_study(tmp_path: Path) -> None:
    text = GUESSING.replace("arrangement: people", "practice: true").replace(
        "[{people: true}]", "teller"
    )
    for line in ("partner_leaves: teller", "nobody_comes: mute"):
        text = text.replace(f"      {line}\n", "")
    told = [str(problem) for problem in check_study(write_guessing(tmp_path / "s", text))]
    assert any("There is nothing to judge or to talk about" in problem for problem in told)


def test_the_scenarios_of_a_stage_can_be_counted_too(tmp_path: Path) -> None:
    text = GUESSING.replace("[{people: true}]", "[{people: true, per_scenario: 2}]").replace(
        "      pace: null", "      scenarios: [{id: a}, {id: b}]\n      pace: null"
    )
    folder = write_guessing(tmp_path / "s", text)
    assert [problem for problem in check_study(folder) if not problem.warning] == []
    chat = load_study(folder).chat
    assert chat is not None
    rules = chat.game_rules(folder)
    assert chat.countable(rules) == ("a", "b")
    made = chat.make_scenario(rules, "b", random.Random(1))
    assert (made.id, made.game, len(made.kbs)) == ("b", "number_guess", 2)


def run(*arguments: str) -> str:
    """What a command prints."""
    return CliRunner().invoke(palaver, arguments).output


# Self-play


def play(folder: Path, names: Sequence[str], count: int = 3) -> list[Dialogue]:
    async def run() -> list[Dialogue]:
        study = load_study(folder)
        assert study.chat is not None
        chat, rules = study.chat, study.chat.game_rules(folder)
        systems = [build_system(n, study.systems[n].options, folder=folder) for n in names]
        dialogues = play_many(
            rules,
            systems,
            names=names,
            seed=1,
            count=count,
            max_turns=rules.usual_turns,
            draw_scenario=lambda rng: chat.draw_scenario(rules, rng),
        )
        return [dialogue async for dialogue in dialogues]

    return asyncio.run(run())


def test_two_bots_play_it_and_know_no_more_than_they_may(guessing: Path) -> None:
    from number_guess.bots import SEEN

    SEEN.clear()
    [dialogue] = play(guessing, ("teller", "mute"), count=1)
    assert (dialogue.reason, dialogue.scenario.game) == ("complete", "number_guess")
    assert dialogue.outcome == {"success": False, "reward": {"0": 0.0, "1": 10.0}}
    places = {seen.seat: seen for seen in SEEN if isinstance(seen, Place)}
    for seat, place in places.items():
        assert place.scenario.kb(1 - seat) is None
        assert place.scenario.kb(seat) == dialogue.scenario.kb(seat)
    ends = [seen for seen in SEEN if isinstance(seen, Event) and seen.action == "end"]
    assert [list(end.data["outcome"]["reward"]) for end in ends] == [["0"], ["1"]]
    told = [seen for seen in SEEN if isinstance(seen, Event) and seen.action == "guess"]
    assert len(told) == 2  # each bot heard of its own guess alone


def test_the_command_says_what_was_done_and_computes_the_metrics(
    guessing: Path,
) -> None:
    out = run("selfplay", str(guessing), "--systems", "teller", "mute", "--count", "4")
    assert re.search(r"^teller: Mine is \d{9}\.$", out, re.M)
    assert re.search(r"^mute: guesses \d{9}$", out, re.M)
    assert "ended with 'complete': 4" in out
    assert re.search(r"^  Guessed right +0\.5000 ", out, re.M)
    assert re.search(r"^  Completion rate +1\.0000 \[0\.5101, 1\.0000\]  4$", out, re.M)


# The study file


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("digits: 9", "digits: nine", "10:42: 'digits' takes a whole number; got 'nine'."),
        ("digits: 9", "digit: 9", "10:34: Unknown key 'digit'. Near: 'digits'."),
        ("number_guess,", "number_gess,", "10:20: No game 'number_gess'. Near: 'number_guess'."),
        ("digits: 9}", "digits: 9}\n      digits: 3", "11:7: Unknown key 'digits'."),
        (
            "{name: number_guess, digits: 9}",
            "number_guess\n      digits: 99",
            "11:15: 'digits' takes 12 or less; got 99.",
        ),
        ("{name: number_guess, digits: 9}", "7", "10:13: 'game' takes the name of a game, or a "),
        ("rate: {}", "rate: {ask: [atentive]}", "15:18: No question 'atentive' under 'questions'."),
    ],
)
def test_a_wrong_option_is_named_at_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert GUESSING.count(old) == 1
    folder = write_guessing(tmp_path, GUESSING.replace(old, new))
    assert f"study.yaml:{said}" in run("check", str(folder))


def test_its_options_may_stand_in_the_stage(tmp_path: Path) -> None:
    beside = GUESSING.replace(
        "{name: number_guess, digits: 9}", "number_guess\n      digits: 9\n      talk: false"
    )
    chat = load_study(write_guessing(tmp_path, beside)).chat
    assert chat is not None
    rules = chat.game_rules(tmp_path)
    scenario = chat.draw_scenario(rules, random.Random(1))
    assert (scenario.id, scenario.game) == ("numbers", "number_guess")
    assert len(str(scenario.kb(0)["number"])) == 9
    assert rules.composer(Dialogue(id="d", scenario=scenario), 0) == Composer(shown=False)


def test_its_survey_is_asked_unless_the_study_asks_something_else(tmp_path: Path) -> None:
    survey = load_study(write_guessing(tmp_path / "a"))
    assert survey.stages[1].ask == ("attentive",)
    assert survey.questions["attentive"].text == "How attentive was your partner?"
    assert [str(p) for p in check_study(tmp_path / "a")] == []

    own = "questions:\n  attentive: {kind: likert, text: Was your partner there?}\nstages:"
    replaced = load_study(write_guessing(tmp_path / "b", GUESSING.replace("stages:", own)))
    assert replaced.questions["attentive"].text == "Was your partner there?"

    other = "questions:\n  fun: {kind: likert, text: Was it fun?}\nstages:"
    text = GUESSING.replace("stages:", other).replace("rate: {}", "rate: {ask: [fun]}")
    assert list(load_study(write_guessing(tmp_path / "c", text)).questions) == ["fun"]


def test_open_chat_brings_no_survey(tmp_path: Path) -> None:
    text = GUESSING.replace("{name: number_guess, digits: 9}", "{turns: {exactly: 4}}")
    found = [str(problem) for problem in check_study(write_guessing(tmp_path, text))]
    assert any("15:5: 'ask' is missing." in line for line in found), found


# The desk


def test_the_desk_words_its_moves_and_shows_what_its_check_found(
    guessing: Path, tmp_path: Path
) -> None:
    [dialogue] = play(guessing, ("teller", "mute"), count=1)
    with open_desk(tmp_path, studies=False) as desk:

        def work(connection):
            study = register_study(
                connection, name="guessing", title="Guess", digest="", definition="", now=1.0
            )
            return store_dialogue(connection, study, dialogue)

        key = desk.store.write_now(work)
        desk.sign_in("olga")
        page = desk.client.get(f"/desk/dialogues/{key}").text
    number = dialogue.scenario.kb(0)["number"]
    assert f'<p class="said" dir="auto">guesses {number}</p>' in page
    assert "only mute saw this" in page
    assert (
        "<dt>Check</dt><dd><bdi>never_spoke (<bdi>mute</bdi>): guessed without a word</bdi></dd>"
        in page
    )
