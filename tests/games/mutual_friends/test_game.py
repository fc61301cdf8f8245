"""What MutualFriends declares: options, survey, checks, words, tags, metrics, measures, material."""

import asyncio
import json
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError, MoveError
from palaver.core.events import Event, Move, say
from palaver.core.records import DialogueRecord
from palaver.evaluation.selfplay import play
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.games.game import GAMES, Setting
from palaver.games.mutual_friends.bots import RuleFinder
from palaver.games.mutual_friends.measure import is_legal, measure
from palaver.games.mutual_friends.options import MutualFriendsOptions
from palaver.metrics import find_metric
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from support.cocoa import FRIENDS_EXAMPLE, changed
from support.friends import ADA, BO, CY, DI, SCENARIO, conversation, make, select, small_scenario

GAME = GAMES.get("mutual_friends")


def write(folder: Path, *scenarios: Any) -> MutualFriendsOptions:
    """Options that name a file of these scenarios."""
    (folder / "friends.json").write_text(json.dumps(scenarios))
    return MutualFriendsOptions(scenario_file="friends.json")


def won() -> Dialogue:
    """A game in four moves, two of them selections."""
    game = conversation()
    make(game, 0, say("Do you know a lawyer?"), at=10.0)
    make(game, 0, say("Anybody?"), at=12.0)
    make(game, 0, select(ADA), at=20.0)
    make(game, 1, select(ADA), at=30.0)
    return game.dialogue


def record(dialogue: Dialogue, reason: str = "complete") -> DialogueRecord:
    return DialogueRecord(
        id=dialogue.id,
        study="",
        condition="people",
        scenario=dialogue.scenario,
        seats=dialogue.seats,
        events=dialogue.events,
        created=10.0,
        status="ended",
        reason=reason,
    )


def lines(*dialogues: Dialogue) -> list[Any]:
    return [msgspec.to_builtins(record(dialogue)) for dialogue in dialogues]


# Options and scenarios


def test_a_study_plays_its_own_scenarios(tmp_path: Path) -> None:
    rules = write(tmp_path, SCENARIO).rules(Setting(), folder=tmp_path)
    assert rules.new_scenario(random.Random(1)) == small_scenario()
    assert [scenario.id for scenario in rules.scenarios] == ["S_small"]
    first = MutualFriendsOptions(most_scenarios=3).rules(Setting(), folder=tmp_path)
    assert len(first.scenarios) == 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kbs": [[ADA, {**BO, "Age": "7"}], [ADA]]}, "Unknown attribute 'Age'"),
        ({"kbs": [[ADA, {**BO, "Hobby": 7}], [ADA]]}, "'Hobby' of row 2 takes text; got '7'"),
        ({"kbs": [[ADA], [ADA], [ADA]]}, "takes two knowledge bases; got 3"),
        ({"kbs": [[ADA, BO], [CY, DI]]}, "share 0 rows; expected exactly 1"),
        ({"kbs": [[ADA, BO], [BO, ADA]]}, "share 2 rows; expected exactly 1"),
        ({"kbs": [[ADA, ADA], [ADA]]}, "Knowledge base 0 has the same row twice"),
        ({"kbs": [[], [ADA]]}, "Knowledge base 0 has no rows"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    options = write(tmp_path, {**SCENARIO, **changes})
    with pytest.raises(InputError, match=said):
        options.rules(Setting(), folder=tmp_path)


def test_a_value_that_the_schema_does_not_know_is_refused(tmp_path: Path) -> None:
    schema = {
        "values": {"name": ["Adele", "Boris", "Cyrus", "Dinah"], "hobby": ["Chess", "Hiking"]},
        "attributes": SCENARIO["attributes"],
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    write(tmp_path, SCENARIO)
    options = MutualFriendsOptions(scenario_file="friends.json", schema_file="schema.json")
    with pytest.raises(InputError, match="'Hobby' does not take 'Yoga'"):
        options.rules(Setting(), folder=tmp_path)


def test_the_starter_is_a_study_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "friends"
    shutil.copytree(GAME.material, folder)
    assert [str(problem) for problem in check_study(folder)] == []
    study = load_study(folder)
    assert [stage.kind for stage in study.stages] == ["chat", "chat", "rate"]
    assert study.stages[0].practice
    assert study.stages[-1].ask == ("cooperative", "humanlike", "comments")
    assert study.chat is not None
    assert len(study.chat.game_rules(folder).scenarios) == 100


# Words, survey, checks


def test_each_answer_of_the_survey_is_filed_under_its_own_question() -> None:
    """CoCoA's dump had the two names swapped."""
    asked = {question.name: question.text for question in GAME.survey}
    assert "cooperative" in asked["cooperative"]
    assert "human-like" in asked["humanlike"]
    assert [question.name for question in GAME.survey if not question.required] == ["comments"]


def test_a_selection_and_the_end_are_told() -> None:
    *_, chosen, end = won().events
    assert GAME.words(chosen, 1) == "You selected Adele (Law, Chess)."
    assert GAME.words(chosen, 0) == "Your partner selected Adele (Law, Chess)."
    assert GAME.words(chosen) == "selects Adele, Law, Chess"
    assert GAME.words(end.seen_by(0), 0) == "You found your mutual friend."


def test_checks_find_who_never_wrote_and_who_clicked_through() -> None:
    game = conversation()
    for friend in (ADA, BO, ADA):
        make(game, 0, select(friend))
    make(game, 1, say("Hello"))
    make(game, 1, select(ADA))
    found = [(finding.check, finding.seat) for finding in GAME.findings(game.dialogue)]
    assert found == [("never_spoke", 0), ("clicked_through", 0)]


# Tags


def test_a_brief_lists_the_friends_that_a_tag_selects_by_number() -> None:
    scenario = small_scenario().seen_by(1)
    told = "\n".join(GAME.brief(scenario, 1))
    assert "1. Cyrus, Physics, Hiking\n2. Adele, Law, Chess\n3. Dinah, Physics, Yoga" in told
    assert "Boris" not in told
    assert "<select> 3" in told
    assert "<quit>" in told
    assert GAME.read_tag("select", " 2 ", scenario, 1) == select(ADA)
    assert GAME.read_tag("quit", "", scenario, 1) == Move(action="quit")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("select", "0"),
        ("select", "4"),
        ("select", "Adele"),
        ("select", ""),
        ("select", "²"),
        ("offer", "1"),
    ],
)
def test_a_tag_that_means_nothing_is_refused(action: str, words: str) -> None:
    with pytest.raises(MoveError):
        GAME.read_tag(action, words, small_scenario().seen_by(1), 1)


def test_moves_are_written_as_tags() -> None:
    chosen = won().events[-2]
    assert GAME.write_tag(chosen) == "<select> Adele, Law and Chess"
    assert GAME.write_tag(Event(seq=1, seat=0, action="quit", data={}, time=0)) == "<quit>"
    assert GAME.write_tag(won().events[0]) == ""


# Metrics


def test_metrics_count_moves_and_failures(tmp_path: Path) -> None:
    lost = conversation()
    make(lost, 0, say("Hi"), at=1.0)
    make(lost, 1, say("Hello there"), at=3.0)
    make(lost, 1, Move(action="quit"), at=4.0)
    scored = {
        metric.title: metric.compute(lines(won(), lost.dialogue))
        for metric in (find_metric(name, folder=tmp_path) for name in GAME.metrics)
    }
    values = {title: score.value for title, score in scored.items()}
    assert values == {
        "Friend found": 0.5,
        "Success per turn": 1 / 7,
        "Success per selection": 1 / 2,
        "Cross-talk": 1 / 2,
        "Time": (20 + 3) / 2,
        "Messages": 2.0,
        "Words per message": (6 + 2 + 1 + 2) / 4,
    }


def test_metrics_of_imported_examples(tmp_path: Path) -> None:
    imported = msgspec.to_builtins(example_record(FRIENDS_EXAMPLE))
    [found, *_] = [find_metric(name, folder=tmp_path) for name in GAME.metrics]
    assert found.compute([imported]).value == 1.0


# Examples of CoCoA


def test_a_game_that_was_played_here_reads_as_an_example_of_cocoa() -> None:
    written = json.loads(msgspec.json.encode(example_json(record(won()))))
    assert written["outcome"] == {"reward": 1}
    assert written["scenario"]["kbs"] == SCENARIO["kbs"]
    assert [event["action"] for event in written["events"]] == [
        "message",
        "message",
        "select",
        "select",
    ]
    assert written["events"][2]["data"] == ADA
    back = example_record(written)
    assert is_legal(back)
    lost = conversation()
    make(lost, 0, say("Hi"))
    make(lost, 1, Move(action="quit"))
    assert example_json(record(lost.dialogue, "quit"))["outcome"] == {"reward": 0}


def test_bots_games_are_measured_after_a_round_trip() -> None:
    rules = MutualFriendsOptions().rules(Setting(), folder=Path())

    async def run() -> list[Dialogue]:
        return [
            await play(
                rules,
                [RuleFinder(), RuleFinder()],
                scenario,
                names=("a", "b"),
                dialogue_id=scenario.id,
                seed=1,
                clock=VirtualClock(),
                max_turns=40,
            )
            for scenario in rules.scenarios[:5]
        ]

    played = asyncio.run(run())
    examples = [
        example_record(json.loads(msgspec.json.encode(example_json(record(each)))))
        for each in played
    ]
    found = {each.name: each for each in measure(examples).measures}
    assert found["replayed_legally"].share == 1.0
    assert found["values_recognised"].share is not None
    assert found["values_recognised"].share > 0.95


def test_a_measure_counts_illegal_dialogues() -> None:
    twice = changed(FRIENDS_EXAMPLE, "events", to=[FRIENDS_EXAMPLE["events"][4]] * 2)
    measured = measure([example_record(FRIENDS_EXAMPLE), example_record(twice)])
    found = {each.name: (each.found, each.of) for each in measured.measures}
    assert measured.dialogues == 2
    assert found["replayed_legally"] == (1, 2)
    assert found["messages_with_entity"] == (0, 1)
