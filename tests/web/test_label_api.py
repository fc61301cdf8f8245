"""Labels over the API: a model judge comes in by the same door as people, about the same units."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis import GenerationMode
from starlette.applications import Starlette

from palaver.annotation.screens import turn_askings
from palaver.annotation.submission import Submission, submit
from palaver.core.questions import Shown
from palaver.core.units import dialogue_unit
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.judging.tidy import label_records
from palaver.web.api.routes import create_api
from palaver.web.lazy import WholeMount
from support.desks import Desk, open_desk
from support.fuzzing import fuzz
from support.lengths import short_and_long

JUDGED = """\
title: Judged
name: judged
consent: {version: "1", text: We keep what you say.}
pay: {amount: 1, currency: GBP}
systems:
  terse: {kind: scripted, lines: ["I see."]}
  chatty: {kind: scripted, lines: ["Do tell me more!"]}
questions:
  clear: {kind: likert, text: How clear is it?}
  liked: {kind: thumbs, text: Good?, speaker: system}
  remark: {kind: text, text: Anything else?, required: false}
  better: {kind: comparative, text: Which is better?}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 4}
      conditions: [{systems: [terse, chatty]}]
  - rate: {ask: [clear, liked, remark, better]}
"""
LABELS = "/api/v1/studies/judged/labels"


@contextmanager
def _opened(folder: Path) -> Iterator[Desk]:
    (folder / "studies" / "judged").mkdir(parents=True)
    (folder / "studies" / "judged" / "study.yaml").write_text(JUDGED, encoding="utf-8")
    with open_desk(folder) as opened:
        opened.study.study_id = opened.deployment.studies["judged"].id
        yield opened


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with _opened(tmp_path) as opened:
        yield opened


@pytest.fixture
def talk(desk: Desk) -> str:
    """A dialogue of five messages in four turns."""
    return new_talk(desk)


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, str]]:
    """One desk and dialogue for all entries that are refused: no label is ever stored in it."""
    with _opened(tmp_path_factory.mktemp("refusing")) as opened:
        yield opened, new_talk(opened)


def new_talk(desk: Desk) -> str:
    return desk.study.dialogue(desk.study.visit("ann"), "Hi", "I see.", "So?", "I see.")[1]


def judge(dialogue: str, question: str, answer: Any = None, **more: Any) -> dict[str, Any]:
    """An entry; keys of the unit may be given too."""
    unit = {"dialogue": dialogue} | {k: more.pop(k) for k in ("seq", "turn") if k in more}
    said = {} if answer is None else {"answer": answer}
    who = {"rater": "model:judge-7b", "rater_kind": "model"}
    return {"unit": unit, "question": question, **said, **who, **more}


def send(desk: Desk, *entries: dict[str, Any], status: int = 201, name: str = "ruth") -> Any:
    headers = {"authorization": f"Bearer {desk.token(name)}"}
    answer = desk.client.post(LABELS, headers=headers, json=list(entries))
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(desk: Desk, *entries: dict[str, Any]) -> str:
    error = send(desk, *entries, status=422)["error"]
    assert error["code"] == "invalid"
    assert rows(desk) == []
    return str(error["message"])


def rows(desk: Desk) -> list[Any]:
    return desk.store.read_now(lambda c: list(label_records(c, "judged")))


def test_a_judge_answers_of_the_whole_and_of_turns(desk: Desk, talk: str) -> None:
    stored = send(
        desk,
        judge(talk, "clear", 4, seconds=1.5),
        judge(talk, "liked", "up", turn=2),
        judge(talk, "liked", "down", seq=5),
        judge(talk, "remark", abstain=True),
    )["labels"]
    assert [each["value"] for each in stored] == [4, "up", "down", None]
    found = [(r.question, r.turn, r.value, r.label, r.rater, r.rater_kind) for r in rows(desk)]
    who = ("model:judge-7b", "model")
    assert found == [
        ("clear", None, 4, None, *who),
        ("liked", 2, "up", "up", *who),
        ("liked", 4, "down", "down", *who),
        ("remark", None, None, "abstained", *who),
    ]
    assert (rows(desk)[0].seconds, rows(desk)[0].purpose) == (1.5, "real")


def test_a_judge_and_a_person_speak_of_one_unit(desk: Desk, talk: str) -> None:
    question = desk.deployment.studies["judged"].definition.questions["liked"]
    dialogue = desk.store.read_now(lambda c: load_dialogue(c, talk)).dialogue
    asking = turn_askings(dialogue, question)[0]
    person = Submission(
        study_id=desk.study.study_id,
        question=question,
        unit=asking.unit,
        shown=asking.shown,
        rater="p_ann",
        rater_kind="person",
        answer="up",
        time=1.0,
    )
    desk.store.write_now(lambda c: submit(c, person))
    send(desk, judge(talk, "liked", "down", turn=2))
    mine, theirs = rows(desk)
    assert (mine.unit, mine.question_version) == (theirs.unit, theirs.question_version)


def test_a_comparison_names_the_side_of_the_unit(desk: Desk) -> None:
    ann = desk.study.visit("ann")
    one, other = (desk.study.dialogue(ann, "Hi", "I see.")[1] for _ in range(2))
    pair = judge(one, "better", "a")
    chosen = {}
    for number, order in enumerate(([one, other], [other, one])):
        entry = {**pair, "unit": {"pair": order}, "rater": f"model:{number}"}
        (stored,) = send(desk, entry)["labels"]
        members = sorted((dialogue_unit(one).key, dialogue_unit(other).key))
        side = dict(zip(("first", "second"), members, strict=True))[stored["value"]]
        chosen[order[0]] = side.removeprefix("dialogue:")
    assert chosen == {one: one, other: other}
    told = {**pair, "unit": {"pair": [one, other]}, "rater": "model:3"}
    (stored,) = send(desk, {**told, "shown": ["second", "first"]})["labels"]
    assert stored["value"] == "second"
    assert {row.unit for row in rows(desk)} == {f"pair:{members[0]}|{members[1]}"}
    assert rows(desk)[-1].shown_order == ["second", "first"]
    (tie,) = send(desk, {**told, "answer": "tie"})["labels"]
    assert tie["value"] == "tie"


def test_the_same_client_id_is_stored_once_and_a_new_answer_replaces(desk: Desk, talk: str) -> None:
    entry = judge(talk, "clear", 4, client_id="run-1:0")
    (first,) = send(desk, entry)["labels"]
    (again,) = send(desk, {**entry, "answer": 1})["labels"]
    assert (again["id"], again["value"], again["repeated"]) == (first["id"], 4, True)
    (newer,) = send(desk, judge(talk, "clear", 2))["labels"]
    assert newer["superseded"] == first["id"]
    assert [(row.value, row.superseded) for row in rows(desk)] == [(4, True), (2, False)]
    wrong = judge(talk, "remark", "Well.", client_id="run-1:0")
    message = send(desk, judge(talk, "clear", 3), wrong, status=422)["error"]["message"]
    assert message == "Label 1, 'client_id': 'run-1:0' was already used for another answer."
    assert len(rows(desk)) == 2


def test_all_or_none(desk: Desk, talk: str) -> None:
    message = refused(desk, judge(talk, "clear", 4), judge(talk, "clear", 9))
    assert message == "Label 1, 'answer': Question 'clear' takes 1 to 5; got 9."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": "cleer"}, "'question': No question 'cleer' in this study. Near: 'clear'"),
        ({"unit": {"dialogue": "d_nope"}}, "'unit': There is no dialogue 'd_nope' here."),
        ({"answer": None}, "'answer': Question 'clear' takes 1 to 5; got nothing."),
        ({"answer": None, "abstain": True}, "'abstain': Question 'clear' must be answered."),
        ({"turn": 1}, "'unit': Question 'clear' is about the whole; leave 'turn' out."),
        ({"question": "liked"}, "'unit': Question 'liked' is about a turn: give 'seq' or 'turn'."),
        ({"question": "liked", "turn": 1, "seq": 2}, "give 'seq' or 'turn'"),
        ({"question": "liked", "turn": 9}, "has 4 turns; got 9."),
        ({"question": "liked", "turn": 1}, "'liked' is not asked of turn 1 of"),
        ({"question": "liked", "seq": 1}, "'liked' is not asked of event 1 of"),
        ({"question": "better"}, "'unit': Question 'better' is about a pair: give 'pair'."),
        ({"shown": ["first", "second"]}, "'shown': Question 'clear' compares nothing"),
        ({"rater": "simulated:x"}, "'rater': A model rater is called 'model:…'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    refusing: tuple[Desk, str], change: dict[str, Any], message: str
) -> None:
    desk, talk = refusing
    entry = judge(talk, "clear", 4)
    unit = {**entry["unit"], **{k: change[k] for k in ("seq", "turn") if k in change}}
    rest = {key: value for key, value in change.items() if key not in ("seq", "turn")}
    told = refused(desk, judge(talk, "clear", 3), {**entry, "unit": unit, **rest})
    assert told.startswith("Label 1, '")
    assert message in told


def test_pairs_that_are_none(desk: Desk, talk: str) -> None:
    entry = judge(talk, "better", "a")
    told = refused(desk, {**entry, "unit": {"pair": [talk, talk]}})
    assert told == f"Label 0, 'unit': The pair names the dialogue '{talk}' twice."
    told = refused(desk, {**judge(talk, "clear", 3), "unit": {"pair": [talk, talk]}})
    assert "give 'dialogue'" in told


def test_a_dialogue_must_be_the_studys_own_and_over(desk: Desk, talk: str) -> None:
    ann = desk.study.visit("ann")
    running = desk.study.dialogue(ann, "Hi", reason=None)[1]
    assert "is still running" in refused(desk, judge(running, "clear", 3))
    desk.study.study_id = desk.deployment.studies["pilot-2"].id
    foreign = desk.study.dialogue(desk.study.visit("bo"), "Hi", "I see.")[1]
    assert "does not belong to this study" in refused(desk, judge(foreign, "clear", 3))


@pytest.mark.parametrize(
    "change",
    [
        {"rater": "p_ann"},
        {"rater": "judge"},
        {"rater": "model:a b"},
        {"rater_kind": "person"},
        {"rater_kind": "anonymous"},
        {"purpose": "gold"},
        {"seconds": -1},
        {"abstain": "yes"},
        {"unit": {}},
        {"unit": {"dialogue": "d_1", "pair": ["d_1", "d_2"]}},
        {"client_id": "a b"},
    ],
)
def test_nobody_else_can_be_spoken_for(refusing: tuple[Desk, str], change: dict[str, Any]) -> None:
    desk, talk = refusing
    told = refused(desk, {**judge(talk, "clear", 3), **change})
    assert told.startswith("body.0.")


def test_a_name_that_stands_for_another_kind_is_refused(desk: Desk, talk: str) -> None:
    question = desk.deployment.studies["judged"].definition.questions["clear"]
    person = Submission(
        study_id=desk.study.study_id,
        question=question,
        unit=dialogue_unit(talk),
        shown=Shown(),
        rater="model:mara",
        rater_kind="person",
        answer=3,
        time=1.0,
    )
    desk.store.write_now(lambda c: submit(c, person))
    told = send(desk, judge(talk, "clear", 1, rater="model:mara"), status=422)["error"]["message"]
    assert told == "Label 0, 'rater': 'model:mara' is a person rater here, not a model one."


def test_who_may_send(desk: Desk, talk: str) -> None:
    entry = judge(talk, "clear", 3)
    assert send(desk, entry, status=403, name="vera")["error"]["code"] == "forbidden"
    send(desk, entry, name="olga")
    assert desk.client.post(LABELS, json=[entry]).status_code == 401
    headers = {"authorization": f"Bearer {desk.token('ruth')}"}
    missing = desk.client.post("/api/v1/studies/nope/labels", headers=headers, json=[entry])
    assert missing.status_code == 404
    assert desk.client.post(LABELS, headers=headers, json=[]).status_code == 422
    assert desk.client.post(LABELS, headers=headers, json=[entry] * 501).status_code == 422
    assert desk.client.post(LABELS, headers=headers, content=b"{").status_code == 422


def test_the_rows_come_back_tidy_and_paged(desk: Desk, talk: str) -> None:
    send(desk, judge(talk, "clear", 4), judge(talk, "liked", "up", turn=2))
    headers = {"authorization": f"Bearer {desk.token('vera')}"}
    first = desk.client.get(f"{LABELS}?limit=1", headers=headers).json()
    rest = desk.client.get(f"{LABELS}?after={first['next']}", headers=headers).json()
    (row,) = rest["labels"]
    assert rest["next"] is None
    columns = {f: getattr(rows(desk)[1], f) for f in rows(desk)[1].__struct_fields__}
    assert row == {"id": row["id"], "abstained": False, "erased": False, **columns}


def test_a_study_may_judge_the_dialogues_of_another(tmp_path: Path) -> None:
    (tmp_path / "studies" / "judged").mkdir(parents=True)
    text = JUDGED[: JUDGED.index("systems:")] + JUDGED[JUDGED.index("questions:") :]
    text = text[: text.index("stages:")]
    text += "stages:\n  - rate: {from: pilot-2, ask: [clear, liked, remark]}\n"
    (tmp_path / "studies" / "judged" / "study.yaml").write_text(text, encoding="utf-8")
    with open_desk(tmp_path) as desk:
        talk = desk.study.dialogue(desk.study.visit("ann"), "Hi", "I see.")[1]
        send(desk, judge(talk, "clear", 5))
        assert [row.dialogue for row in rows(desk)] == [talk]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@short_and_long("examples", 10, 400)
def test_a_reviewer_may_send_anything_and_gets_what_is_promised(
    desk: Desk, talk: str, mode: GenerationMode, examples: int
) -> None:
    app = Starlette(routes=[WholeMount("/api/v1", create_api(desk.deployment))])
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    operation = schema["/studies/{name}/labels"]["POST"]
    headers = {"Authorization": f"Bearer {desk.token('ruth')}"}

    def call(case: Any) -> None:
        case.path_parameters = {"name": "judged"}
        # What the document allows may still name a question or a dialogue that is not there.
        case.call_and_validate(
            headers=headers, excluded_checks=[schemathesis.checks.positive_data_acceptance]
        )

    fuzz(call, operation, mode, examples)
