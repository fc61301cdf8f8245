"""A study file becomes typed objects: defaults, stages, rules, scenarios, several studies."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import StudyError
from palaver.core.questions import Comparative
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.formats.marked_yaml import parse_marked
from palaver.games.open_chat.rules import OpenChat
from palaver.studies.file.definition import (
    ChatStage,
    LimitTerms,
    PaceTerms,
    RateStage,
    direction_of,
)
from palaver.studies.file.reader import load_studies, load_study
from palaver.studies.stages.chat import Opening, ScenarioChoice
from palaver.studies.stages.conditions import parse_conditions
from palaver.studies.stages.parts import parse_duration

SMALL = """\
title: Small talk
systems:
  a: {kind: scripted, lines: [Hello], delay: 1}
  b: {kind: scripted, lines: [Hi]}
questions:
  preference: {kind: comparative, text: Which one?, tie: false}
stages:
  - chat:
      %s
  - rate: {ask: [preference]}
"""
PAIRED = "arrangement: paired\n      turns: {exactly: 10}\n      conditions: 'a|b:20,a|a:10'"


def write(folder: Path, chat: str = PAIRED, *, more: str = "") -> Path:
    """A study folder with this chat stage."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("study.yaml").write_text(more + SMALL % chat, encoding="utf-8")
    return folder


def chat_of(folder: Path, *lines: str) -> ChatStage:
    """The chat stage that these lines make; without the question, which needs a pair."""
    text = SMALL.replace("  - rate: {ask: [preference]}\n", "") % "\n      ".join(lines)
    folder.joinpath("study.yaml").write_text(text, encoding="utf-8")
    chat = load_study(folder).chat
    assert chat is not None
    return chat


def test_a_small_study_gets_its_defaults(tmp_path: Path) -> None:
    study = load_study(write(tmp_path / "Small Talk 2"))
    assert (study.name, study.language, study.direction) == ("small-talk-2", "en", "ltr")
    assert study.folder == tmp_path / "Small Talk 2"
    assert (study.consent, study.pay, study.minutes) == (None, None, None)
    assert (study.crowd.kind, study.crowd.link_hours, study.board.public) == ("link", 72, False)
    assert study.systems["a"].options == {"kind": "scripted", "lines": ["Hello"], "delay": 1}
    assert study.questions["preference"] == Comparative(
        name="preference", text="Which one?", tie=False
    )
    assert [stage.kind for stage in study.stages] == ["chat", "rate"]
    assert study.stages[1] == RateStage(ask=("preference",))


def test_the_digest_follows_the_content(tmp_path: Path) -> None:
    first = load_study(write(tmp_path / "a"))
    same = load_study(write(tmp_path / "b"))
    other = load_study(write(tmp_path / "c", more="minutes: 5\n"))
    assert first.digest == same.digest != other.digest


def test_a_study_cannot_be_changed(tmp_path: Path) -> None:
    study = load_study(write(tmp_path))
    with pytest.raises(ValueError, match="frozen"):
        study.title = "Another"


def test_a_chat_gets_its_defaults(tmp_path: Path) -> None:
    chat = load_study(write(tmp_path)).chat
    assert chat is not None
    assert (chat.display, chat.blind, chat.game.name) == ("in_turn", True, "open_chat")
    assert chat.limits == LimitTerms(
        message=180, dialogue=1200, idle=240, disconnect=45, waiting=180
    )
    assert chat.pace == PaceTerms(reading=0.5, characters_per_second=30, at_most=8)
    assert (chat.partner_leaves, chat.nobody_comes) == ("pay", "pay")
    assert [(c.name, c.needed) for c in chat.conditions] == [("a|b", 20), ("a|a", 10)]
    assert chat.condition("a|a").systems == ("a", "a")
    assert chat.game_rules(tmp_path) == OpenChat(exactly=10, opens=0)


def test_people_talk_freely_and_systems_may_be_among_them(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path,
        "arrangement: people",
        "turns: {at_least: 6}",
        "conditions: [{people: true, needed: 10}, {systems: [a]}]",
        "partner_leaves: b",
    )
    assert chat.game_rules(tmp_path) == OpenChat(at_least=6, opens=None, taking="free")
    assert [(c.name, c.needed) for c in chat.conditions] == [("people", 10), ("a", None)]
    assert chat.system_names() == {"a", "b"}


TALK = "turns: {at_least: 2}"


@pytest.mark.parametrize(
    ("lines", "seats"),
    [
        ((TALK, "conditions: a:1"), {1}),
        (("arrangement: people", TALK, "conditions: [{people: true}]"), set()),
        (("arrangement: people", TALK, "conditions: [{people: true}, {systems: [a]}]"), {0, 1}),
        (("arrangement: people", TALK, "conditions: people:9", "nobody_comes: b"), {0, 1}),
    ],
)
def test_markdown_is_for_the_seats_that_a_system_may_hold(
    tmp_path: Path, lines: tuple[str, ...], seats: set[int]
) -> None:
    assert chat_of(tmp_path, *lines).seats_of_systems == seats
    assert load_study(tmp_path).is_rich == bool(seats)


def test_a_study_may_show_messages_as_they_were_sent(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, more="render: plain\n"))
    assert (study.render, study.is_rich) == ("plain", False)


@pytest.mark.parametrize("written", ["html", "true", "[markdown]"])
def test_any_other_way_to_render_is_refused(tmp_path: Path, written: str) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(write(tmp_path, more=f"render: {written}\n"))
    assert "'markdown' (bold, lists, tables) or 'plain' (as they were sent)" in str(raised.value)


@pytest.mark.parametrize(("opens", "seat"), [("person", 0), ("system", 1), ("either", None)])
def test_who_opens_is_a_seat(tmp_path: Path, opens: str, seat: int | None) -> None:
    chat = chat_of(tmp_path, f"opens: {opens}", "turns: {at_least: 2}", "conditions: a:1")
    assert chat.game_rules(tmp_path) == OpenChat(at_least=2, opens=seat)


def test_people_are_told_what_a_chat_is_and_not_with_whom(tmp_path: Path) -> None:
    told = chat_of(tmp_path, *PAIRED.split("\n      ")).told
    assert told.title == "Chat with two partners, one after the other"
    assert told.detail == "10 messages in each, your partner's included."

    among_people = ("arrangement: people", "turns: {at_least: 4}", "conditions: people")
    told = chat_of(tmp_path, *among_people, "limits: {waiting: 90 s}").told
    assert told.title == "Chat with a partner"
    assert told.detail == (
        "You may have to wait for your partner, at most 2 minutes. "
        "At least 4 messages in all, your partner's included."
    )


@pytest.mark.parametrize(
    ("whole", "chat", "rate", "minutes"),
    [
        ("", "", "", None),
        ("", "minutes: 8", "", None),
        ("", "minutes: 8", "minutes: 3, ", 11),
        ("minutes: 12\n", "minutes: 8", "", 12),
    ],
)
def test_the_time_is_what_the_file_says_or_what_all_stages_say(
    tmp_path: Path, whole: str, chat: str, rate: str, minutes: int | None
) -> None:
    text = whole + SMALL % f"{PAIRED}\n      {chat}"
    (tmp_path / "study.yaml").write_text(text.replace("rate: {", f"rate: {{{rate}"))
    assert load_study(tmp_path).minutes_in_all == minutes


def test_limits_take_durations_and_null(tmp_path: Path) -> None:
    limits = "limits: {message: 2 min 30 s, idle: null, waiting: 90}"
    chat = chat_of(tmp_path, "turns: {exactly: 2}", "conditions: a", limits, "pace: null")
    assert (chat.limits.message, chat.limits.idle, chat.limits.waiting) == (150, None, 90)
    assert chat.pace is None


def test_seeds_and_personas_make_the_scenario(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path,
        "turns: {exactly: 4}",
        "conditions: a",
        "seeds: [{by: person, text: Hi}, {by: partner, text: Hello}]",
        "personas: {partner: [You cook.]}",
    )
    assert chat.draw_scenario(chat.game_rules(tmp_path), random.Random(1)) == Scenario(
        personas=((), ("You cook.",)),
        seeds=(SeedUtterance(seat=0, text="Hi"), SeedUtterance(seat=1, text="Hello")),
    )


def test_each_dialogue_draws_a_scenario(tmp_path: Path) -> None:
    scenarios = "scenarios: [{id: x, title: X}, {id: y, seeds: [{by: partner, text: Yes?}]}]"
    chat = chat_of(tmp_path, "turns: {exactly: 4}", "conditions: a", scenarios)
    rng, rules = random.Random(1), chat.game_rules(tmp_path)
    drawn = [chat.draw_scenario(rules, rng) for _ in range(40)]
    assert {scenario.id for scenario in drawn} == {"x", "y"}
    assert {len(scenario.seeds) for scenario in drawn if scenario.id == "y"} == {1}
    again = [chat.draw_scenario(rules, random.Random(7)) for _ in range(2)]
    assert again[0] == again[1]


def test_the_words_of_a_study_leave_the_rest_of_a_games_scenario(tmp_path: Path) -> None:
    made = Scenario(id="s", title="A bike", kbs=(1, 2), seeds=(SeedUtterance(seat=0, text="Hi"),))
    assert Opening().onto(made) == made
    choice = ScenarioChoice(id="x", personas={"person": ["You ride."]})
    assert choice.onto(made) == Scenario(
        id="x", title="A bike", kbs=(1, 2), personas=(("You ride.",), ()), seeds=made.seeds
    )


def test_the_options_of_a_game_may_stand_under_it(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "game: {name: open_chat, turns: {exactly: 4}}", "conditions: a")
    assert chat.game_rules(tmp_path) == OpenChat(exactly=4, opens=0)


def test_the_example_of_an_empty_scenario(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "turns: {exactly: 4}", "conditions: a")
    assert chat.draw_scenario(chat.game_rules(tmp_path), random.Random(1)) == Scenario()


def test_pace_grows_with_the_text_up_to_a_limit() -> None:
    pace = PaceTerms()
    assert pace.seconds("x" * 30) == 1.5
    assert pace.seconds("x" * 3000) == 8


@pytest.mark.parametrize(
    ("language", "direction"),
    [("en", "ltr"), ("ar", "rtl"), ("he-IL", "rtl"), ("az-Arab", "rtl"), ("ar-Latn", "ltr")],
)
def test_direction_follows_the_language(language: str, direction: str) -> None:
    assert direction_of(language) == direction


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (90, 90),
        (0.5, 0.5),
        ("90 s", 90),
        ("90s", 90),
        ("3 min", 180),
        ("1 h", 3600),
        ("2 min 30 s", 150),
        ("1 h 5 min", 3900),
        ("1.5 h", 5400),
        (" 1h2min3s ", 3723),
    ],
)
def test_durations(written: float | str, seconds: float) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize(
    "written", ["", " ", "3 minutes", "min 3", "30 s 2 min", "-5 s", "5", True, [], None, "٣ s"]
)
def test_what_is_no_duration_says_what_is(written: object) -> None:
    with pytest.raises(ValueError, match=r"number of seconds, or text like '90 s', '3 min'"):
        parse_duration(written)


@given(st.integers(0, 99), st.integers(0, 99), st.integers(1, 99))
def test_durations_add_up(hours: int, minutes: int, seconds: int) -> None:
    total = 3600 * hours + 60 * minutes + seconds
    assert parse_duration(f"{hours} h {minutes} min {seconds} s") == total


def test_the_short_form_of_conditions_is_the_one_of_chat_evaluation_platform() -> None:
    # facts/abc_eval.md §4: cond:int(,cond:int)*, cond = model or modelA|modelB
    assert parse_conditions("a|b:20, a:10,b,people:3") == [
        {"systems": ["a", "b"], "needed": 20},
        {"systems": ["a"], "needed": 10},
        {"systems": ["b"], "needed": None},
        {"people": True, "needed": 3},
    ]


@pytest.mark.parametrize("written", ["", "a:", "a:x", ":3", "a:1,,b:2", "a:-1", "a:1:2"])
def test_a_short_form_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="Expected 'system:needed'"):
        parse_conditions(written)


def test_a_path_may_be_the_file_itself(tmp_path: Path) -> None:
    study = load_study(write(tmp_path) / "study.yaml")
    assert study == load_study(tmp_path)


def test_a_folder_of_folders_holds_several_studies(tmp_path: Path) -> None:
    write(tmp_path / "two")
    write(tmp_path / "one")
    (tmp_path / "notes").mkdir()
    assert [study.name for study in load_studies(tmp_path)] == ["one", "two"]
    assert [study.name for study in load_studies(tmp_path / "two")] == ["two"]


def test_two_studies_cannot_share_a_name(tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "two", more="name: one\n")
    with pytest.raises(
        StudyError, match=r"two/study.yaml:1:7: The name 'one' is already used by .*one/"
    ):
        load_studies(tmp_path)


def test_all_studies_are_read_before_anything_is_said(tmp_path: Path) -> None:
    write(tmp_path / "one", more="a: 1\n")
    write(tmp_path / "two", more="b: 1\n")
    with pytest.raises(StudyError) as caught:
        load_studies(tmp_path)
    assert [Path(problem.file).parent.name for problem in caught.value.problems] == ["one", "two"]


def test_a_folder_without_a_study_says_so(tmp_path: Path) -> None:
    with pytest.raises(
        StudyError, match=r"There is no study.yaml here or in the folders directly below"
    ):
        load_studies(tmp_path)


def test_loading_raises_with_every_problem(tmp_path: Path) -> None:
    text = (SMALL % PAIRED).replace("title", "titel").replace("[preference]", "[other]")
    tmp_path.joinpath("study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        load_study(tmp_path)
    assert [problem.line for problem in caught.value.problems] == [1, 1, 12]


def test_marks_lead_to_values_and_keys() -> None:
    marked = parse_marked(b"a: 1\nb:\n  - {c: x, d: [y]}\n", file="f")
    assert marked.data == {"a": 1, "b": [{"c": "x", "d": ["y"]}]}
    assert marked.locate(("a",)) == (1, 4)
    assert marked.locate_key(("a",)) == (1, 1)
    assert marked.locate(("b",)) == (2, 1)
    assert marked.locate(("b", 0)) == (3, 5)
    assert marked.locate(("b", 0, "d", 0)) == (3, 16)
    assert marked.locate(("b", 0, "missing", "deeper")) == (3, 5)


def test_scalars_are_those_of_yaml_1_2() -> None:
    text = b'a: yes\nb: true\nc: 1.5\nd: ~\ne: 2020-01-01\nf: 0x10\n1: x\ng: "\\ud83d\\ude00"\n'
    assert parse_marked(text, file="f").data == {
        "a": "yes",
        "b": True,
        "c": 1.5,
        "d": None,
        "e": "2020-01-01",
        "f": 16,
        "1": "x",
        "g": "\N{GRINNING FACE}",
    }


def test_an_anchor_can_be_used_again() -> None:
    data = parse_marked(b"a: &x {b: 1}\nc: *x\n", file="f").data
    assert data == {"a": {"b": 1}, "c": {"b": 1}}
