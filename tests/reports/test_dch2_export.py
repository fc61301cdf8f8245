"""From a DCH-2 data set to the store and back, and what a study's own labels become."""

import io
import json
import random
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.formats.dch2 import NUGGETS, POINTS, SCALES, read_dch2
from palaver.reports.export import Exported, export_study
from palaver.storage import Store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.tidy import label_records
from palaver.storage.people.raters import ensure_rater
from palaver.studies.intake.dch2 import TakenFile, take_in
from support.verdicts import Judged

HELPDESK = """\
title: Helpdesk
name: helpdesk
stages:
  - rate: {from: elsewhere, ask: [nuggets, accomplishment, satisfaction, effectiveness]}
"""
SAID = [(0, "My router is dead."), (0, "Help!"), (1, "Restart it."), (0, "It works.")]
GOOD = {"accomplishment": 2, "satisfaction": 1, "effectiveness": -1}


def export(store: Store, study: str | None, **options: Any) -> tuple[list[Any], Exported]:
    stream = io.BytesIO()
    made = export_study(
        store, study=study, format="dch2", destination=stream, mask=options.get("mask", False)
    )
    return json.loads(stream.getvalue()), made


def data_set(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Dialogues of any number of turns, some with two turns of one sender or an empty one."""
    made = []
    for number in range(count):
        senders = [rng.choice(list(NUGGETS)) for _ in range(rng.randint(1, 7))]
        turns = [
            {"sender": sender, "utterances": [f"line {n}" for n in range(rng.randint(0, 3))]}
            for sender in senders
        ]
        annotations = [
            {
                "nugget": [rng.choice(NUGGETS[sender]) for sender in senders],
                "quality": {scale: rng.choice(POINTS) for scale in SCALES},
            }
            for _ in range(rng.choice((19, 20)))
        ]
        made.append({"id": f"38015849517353{number}", "turns": turns, "annotations": annotations})
    made.append({"id": "test", "turns": made[0]["turns"]})
    return made


def test_a_data_set_comes_back_as_it_was(store: Store) -> None:
    content = data_set(random.Random(7), 12)
    taken = take_in(store, read_dch2(json.dumps(content).encode()), study="dch", now=5.0)
    written, made = export(store, "dch")
    assert written == content
    raters = sum(len(each.get("annotations", ())) for each in content)
    assert taken.raters == raters
    assert made.counts == {
        **{"dialogues": 13, "annotations": raters},
        **{"incomplete": 0, "excluded": 0},
    }
    masked, _ = export(store, "dch", mask=True)
    assert [each["id"] for each in masked] == [each["id"] for each in content]


def test_annotators_are_anonymous_raters_of_one_dialogue(store: Store) -> None:
    content = data_set(random.Random(1), 1)
    taken = take_in(store, read_dch2(json.dumps(content).encode()), study="dch", now=5.0)
    rows = store.read_now(lambda c: list(label_records(c, "dch")))
    assert len(rows) == taken.labels
    assert {row.rater_kind for row in rows} == {"anonymous"}
    key = next(row.dialogue for row in rows)
    assert {row.rater for row in rows} == {
        f"anon:dialogue:{key}:{n}" for n in range(1, taken.raters + 1)
    }
    assert {row.question for row in rows} == {"nuggets", *GOOD}
    nugget = next(row for row in rows if row.question == "nuggets")
    assert (nugget.turn, nugget.label) == (1, nugget.value)


def test_a_second_import_adds_only_what_is_new(store: Store) -> None:
    content = read_dch2(json.dumps(data_set(random.Random(1), 3)).encode())
    take_in(store, content[:2], study="dch", now=5.0)
    assert take_in(store, content, study="dch", now=6.0).known == 2
    assert take_in(store, content, study="dch", now=7.0) == TakenFile(known=4)
    with pytest.raises(InputError, match="lower-case letters, digits and '-'"):
        take_in(store, content, study="DCH 2", now=7.0)


@pytest.fixture
def helpdesk(store: Store) -> Judged:
    return Judged.register(store, name="helpdesk", text=HELPDESK)


def judge(helpdesk: Judged, key: str, rater: str, nuggets: list[str], **scores: int) -> None:
    for turn, nugget in enumerate(nuggets, start=1):
        helpdesk.say(key, "nuggets", nugget, turn=turn, rater=rater)
    for question, point in scores.items():
        helpdesk.say(key, question, point, rater=rater)


def test_only_whoever_answered_all_is_in_the_file(helpdesk: Judged) -> None:
    key = helpdesk.dialogue(*SAID)
    judge(helpdesk, key, "sim:bo", ["CNUG0", "HNUG"], **GOOD)  # a turn is missing
    judge(helpdesk, key, "sim:ann", ["CNUG0", "HNUG", "CNUG*"], **GOOD)
    judge(helpdesk, key, "sim:cy", ["CNUG0", "HNUG", "CNUG*"], accomplishment=1)
    (written,), made = export(helpdesk.store, "helpdesk")
    assert written == {
        "id": key,
        "turns": [
            {"sender": "customer", "utterances": ["My router is dead.", "Help!"]},
            {"sender": "helpdesk", "utterances": ["Restart it."]},
            {"sender": "customer", "utterances": ["It works."]},
        ],
        "annotations": [
            {"nugget": ["CNUG0", "HNUG", "CNUG*"], "quality": {"A": 2, "S": 1, "E": -1}}
        ],
    }
    assert made.counts == {"dialogues": 1, "annotations": 1, "incomplete": 2, "excluded": 0}


def test_either_task_alone_will_do(helpdesk: Judged) -> None:
    nuggets, quality = helpdesk.dialogue(*SAID), helpdesk.dialogue(*SAID)
    judge(helpdesk, nuggets, "sim:ann", ["CNUG0", "HNUG", "CNUG*"])
    judge(helpdesk, quality, "sim:ann", [], **GOOD)
    written, made = export(helpdesk.store, None)
    assert [sorted(each["annotations"][0]) for each in written] == [["nugget"], ["quality"]]
    assert made.counts["incomplete"] == 0


def test_what_does_not_count_is_left_out(helpdesk: Judged) -> None:
    key = helpdesk.dialogue(*SAID)
    judge(helpdesk, key, "sim:ann", [], **{**GOOD, "accomplishment": -2})
    judge(helpdesk, key, "sim:ann", [], accomplishment=2)  # thought better of it
    judge(helpdesk, key, "sim:bo", [], **GOOD)
    helpdesk.say(key, "accomplishment", 0, rater="sim:cy", purpose="training")

    def set_aside(connection: Any) -> None:
        bo = ensure_rater(connection, key="sim:bo", kind="simulated", now=1.0)
        exclude(connection, study_id=helpdesk.study_id, rater_id=bo, excluded=True, now=2.0)

    helpdesk.store.write_now(set_aside)
    (written,), made = export(helpdesk.store, "helpdesk")
    assert written["annotations"] == [{"quality": {"A": 2, "S": 1, "E": -1}}]
    assert made.counts == {"dialogues": 1, "annotations": 1, "incomplete": 0, "excluded": 1}


def test_dialogues_of_another_study_are_in_the_file_of_the_one_that_judged(
    helpdesk: Judged,
) -> None:
    talked = Judged.register(helpdesk.store, name="talked", text="title: Talked\n")
    key = talked.dialogue(*SAID)
    judge(helpdesk, key, "sim:ann", [], **GOOD)
    (written,), _ = export(helpdesk.store, "helpdesk")
    assert (written["id"], len(written["annotations"])) == (key, 1)


def test_answers_that_the_format_does_not_know_are_an_error(store: Store) -> None:
    own = "title: Own\nquestions:\n  accomplishment: {kind: likert, text: How much?}\nstages: []\n"
    study = Judged.register(store, name="own", text=own)
    key = study.dialogue(*SAID)
    study.say(key, "accomplishment", 5)
    with pytest.raises(InputError, match="cannot be written as DCH-2: 'A' takes -2 to 2; got 5"):
        export(store, "own")


def test_one_dialogue_judged_in_two_studies_is_one_entry(store: Store) -> None:
    content = data_set(random.Random(5), 1)[:1]
    for study in ("first", "second"):
        take_in(store, read_dch2(json.dumps(content).encode()), study=study, now=5.0, file="a.json")
    (written,), made = export(store, None)
    annotations = content[0]["annotations"]
    assert written == {**content[0], "annotations": [*annotations, *annotations]}
    assert made.counts["dialogues"] == 1
    read_dch2(json.dumps([written]).encode())


def test_two_dialogues_under_one_id_are_not_written_together(store: Store) -> None:
    turn = {"sender": "customer", "utterances": ["Hello?"]}
    for study, turns in (("first", [turn]), ("second", [turn, turn])):
        content = json.dumps([{"id": "7", "turns": turns}]).encode()
        take_in(store, read_dch2(content), study=study, now=5.0, file=f"{study}.json")
    message = (
        r"Two dialogues have the id '7' and say different things: d01 of first\.json \(study "
        r"'first'\) and d02 of second\.json \(study 'second'\)"
    )
    with pytest.raises(InputError, match=message):
        export(store, None)
    assert [each["id"] for each in export(store, "second")[0]] == ["7"]
