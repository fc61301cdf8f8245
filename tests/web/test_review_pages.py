"""Judgements on the desk: agreement, the disagreement map, labels in place, raters and exclusions."""

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from palaver.core.names import person_name
from palaver.core.studies.dialogues import short_name
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.people.rater_work import find_rater, record
from palaver.studies.review import boards
from palaver.web.app import create_app
from support.desks import PATIENT, Desk, open_desk
from support.reviewing import STUDY, Judging
from support.seeding import NOW, deploy


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "studies" / "judged"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    with open_desk(tmp_path) as opened:
        opened.sign_in("olga")
        yield opened


@pytest.fixture
def judging(desk: Desk) -> Judging:
    """Three raters on four dialogues: two agree, the third agrees once in eight answers."""
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    for n in range(4):
        key = judging.dialogue("Hello", "I see.", "Really?", "Yes, really.")
        for rater in ("sim:ann", "sim:bob"):
            judging.say("quality", key, rater, n + 1, seconds=4.0 + n)
            judging.say("polite", key, rater, "yes", seq=3)
            judging.say("polite", key, rater, "no" if n % 2 else "yes", seq=5)
            judging.say("faults", key, rater, ["dull"] if n else [], seq=3)
        judging.say("quality", key, "sim:spam", 5 - n, seconds=0.5)
        judging.say("polite", key, "sim:spam", "no", seq=3)
    return judging


def words(page: str) -> str:
    """The text of a page, blanks folded."""
    text = re.sub(r"<(script|style|template|svg)\b.*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def read(desk: Desk, path: str, status: int = 200) -> str:
    answer = desk.client.get(path)
    assert answer.status_code == status, answer.text
    return words(answer.text)


def leave_out(desk: Desk, rater: str, *, excluded: str = "yes") -> Any:
    address = "/desk/studies/judged/raters"
    return desk.post(address, on=address, rater=rater, excluded=excluded)


def id_of(key: str) -> Callable[[Connection], int]:
    return lambda c: load_dialogue(c, key).id


def test_before_anybody_judged_the_page_says_so(desk: Desk) -> None:
    assert "Nobody has judged anything yet" in read(desk, "/desk/studies/judged")
    page = read(desk, "/desk/studies/judged/judgements")
    assert "Nobody has judged anything yet" in page
    assert page.count("nobody has answered it yet") == 8
    assert "No raters yet" in read(desk, "/desk/studies/judged/raters")
    assert "Nobody has answered it yet" in read(desk, "/desk/studies/judged/questions/quality")


def test_the_page_of_a_study_measures_its_questions(desk: Desk, judging: Judging) -> None:
    judging.sheet("carl", judging.dialogue())
    page = read(desk, "/desk/studies/judged/judgements")
    assert re.search(r"quality How good was the conversation\? 12 −?0\.\d\d", page)
    assert "4 dialogues, 3 raters" in page
    assert "faults: It is dull What is wrong with the reply? 8 1.00" in page
    assert "and least on “quality”" in page
    assert "part 2 1 1 0 0 1 of 1 1 of 1 ratings done, 0 held, 0 free" in page
    shown = desk.client.get("/desk/studies/judged/judgements").text
    assert "/desk/studies/judged/questions/quality" in shown


def test_the_map_goes_from_all_answers_to_the_turns(desk: Desk, judging: Judging) -> None:
    answer = desk.client.get("/desk/studies/judged/questions/polite")
    page = words(answer.text)
    assert "“Polite” is the most frequent answer, with 60.0 % of 20" in page
    assert "Raters agree fully on 4 of 8 turns and are split by more than half on 4" in page
    rows = re.findall(r'href="(/desk/dialogues/[\w-]+#e\d+)"', answer.text)
    assert {row.partition("#")[2] for row in rows[:4]} == {"e3"}
    assert re.search(r"I see\. turn 2 of d\d+ 0\.92 Polite × 2 Rude × 1 3", page)
    spot = desk.client.get(rows[0].partition("#")[0]).text
    assert 'id="e3"' in spot


def test_the_map_can_be_cut_to_one_answer(desk: Desk, judging: Judging) -> None:
    found = read(desk, "/desk/studies/judged/questions/polite?answer=no")
    assert "6 turns where somebody answered “Rude”" in found
    labels = read(desk, "/desk/studies/judged/questions/faults?of=dull&answer=True")
    assert "3 turns where somebody answered “It is dull: given”" in labels
    assert "0 turns" in read(desk, "/desk/studies/judged/questions/polite?answer=nonsense")


def test_labels_stand_under_their_turn_with_their_history(desk: Desk, judging: Judging) -> None:
    key = judging.dialogue("Hello", "I see.")
    judging.say("polite", key, "sim:ann", "no", seq=3, seconds=2.0)
    judging.say("polite", key, "sim:ann", "yes", seq=3, seconds=6.5)
    judging.say("polite", key, "judge", "no", seq=3, kind="model")
    judging.say("quality", key, "sim:ann", 5)
    judging.say("remarks", key, "sim:ann", None)
    answer = desk.client.get(f"/desk/dialogues/{key}")
    event = answer.text[answer.text.index('id="e3"') : answer.text.index('id="e4"')]
    turn = words(event)
    assert "polite Polite × 1 Rude × 1" in turn
    assert "Polite sim:ann simulated 6.5 s before: Rude, 2.0 s" in turn
    assert "Rude judge model 4.0 s" in turn
    whole = words(answer.text[answer.text.index('id="whole"') :])
    assert "quality 5 (good) × 1" in whole
    assert "remarks no answer counts left out" in whole
    people = words(desk.client.get(f"/desk/dialogues/{key}?raters=model").text)
    assert "Rude judge model" in people
    assert "sim:ann" not in people


def test_comparisons_lead_to_the_other_dialogue(desk: Desk, judging: Judging) -> None:
    one, other = judging.dialogue(), judging.dialogue()
    judging.prefer(one, one, other, "sim:ann")
    page = desk.client.get(f"/desk/dialogues/{one}").text
    assert f'href="/desk/dialogues/{other}"' in page
    names = {key: short_name(desk.store.read_now(id_of(key))) for key in (one, other)}
    assert f"preference this dialogue {names[other]} sim:ann" in words(page)
    there = read(desk, f"/desk/dialogues/{other}")
    assert f"preference the other dialogue {names[one]} sim:ann" in there
    split = read(desk, "/desk/studies/judged/questions/preference")
    # Both dialogues are of one system; nobody but the person who had them is asked about them.
    assert "“terse” is the most frequent choice, in 100.0 % of 1 comparison" in split
    assert "Each conversation is judged by the person who had it" in split
    assert "One judge for each conversation" in split
    assert "Nothing to compare yet" not in split


def test_a_split_comparison_names_both_systems(desk: Desk, judging: Judging) -> None:
    terse, chatty = (judging.dialogue(system=name) for name in ("terse", "chatty"))
    judging.prefer(chatty, terse, chatty, "sim:ann")
    judging.prefer(terse, terse, chatty, "sim:bob")
    split = read(desk, "/desk/studies/judged/questions/preference")
    assert "chatty and terse are chosen equally often, each in 50.0 % of 2 comparisons" in split
    assert f"terse : {short_name(desk.store.read_now(id_of(terse)))}" in split
    assert "chatty × 1" in split
    assert "the first" not in split


def test_raters_are_listed_with_their_time_and_agreement(desk: Desk, judging: Judging) -> None:
    page = read(desk, "/desk/studies/judged/raters")
    assert "Raters of Judged: 3 raters" in page
    assert "None of 3 raters stands out" in page
    assert "sim:spam simulated 8 2.2 s (n = 8) – 12.5 % (n = 8) Leave out" in page
    by_agreement = read(desk, "/desk/studies/judged/raters?sort=agreement")
    assert by_agreement.index("sim:spam") < by_agreement.index("sim:ann")
    assert "No raters yet" in read(desk, "/desk/studies/judged/raters?raters=person")


def test_who_stands_out_is_said_first(desk: Desk, judging: Judging) -> None:
    for n in range(4):
        key = judging.dialogue("Hello", "I see.")
        for rater, answer in (("sim:ann", 2), ("sim:bob", 2), ("sim:spam", 5)):
            judging.say("quality", key, rater, answer, seconds=0.5 + n)
    answer = desk.client.get("/desk/studies/judged/raters")
    page = words(answer.text)
    assert "1 of 3 raters stands out sim:spam says what most others say in 8.3 % of 12" in page
    assert "Leave out sim:spam" in page
    assert answer.text.count('class="stands-out"') == 1
    # One dot for each rater whose times are known, all of them on the axis.
    dots = [float(at) for at in re.findall(r'<circle cx="([\d.]+)%"', answer.text)]
    assert len(dots) == 3
    assert all(0 <= at <= 100 for at in dots)
    leave_out(desk, "sim:spam")
    assert "None of 3 raters stands out, 1 left out" in read(desk, "/desk/studies/judged/raters")


def test_one_click_leaves_a_rater_out_of_every_number(
    desk: Desk, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was found last is good enough for a while; here the board is worked out at each request.
    monkeypatch.setattr(boards, "REST", 0)
    one, other = judging.dialogue(), judging.dialogue(system="chatty")
    judging.prefer(one, one, other, "sim:spam")
    board = "/boards/judged.json"
    assert desk.client.get(board).json()["votes"] == 1
    done = leave_out(desk, "sim:spam")
    assert done.status_code == 303
    page = read(desk, done.headers["location"])
    assert "sim:spam is left out. All numbers" in page
    assert "None of 3 raters stands out, 1 left out" in page
    assert re.search(r"left out by olga, \d{4}-", page)
    assert "1 rater left out" in read(desk, "/desk/studies/judged")
    study = read(desk, "/desk/studies/judged/judgements")
    assert "1 rater left out" in study
    assert "quality How good was the conversation? 8 1.00" in study
    assert "1 rater left out" in read(desk, "/desk/studies/judged/questions/quality")
    assert desk.client.get(board).json()["votes"] == 0
    shown = read(desk, f"/desk/dialogues/{one}")
    assert "rater left out" in shown


def test_an_exclusion_can_be_undone_and_both_stay_on_record(desk: Desk, judging: Judging) -> None:
    leave_out(desk, "sim:spam")
    back = leave_out(desk, "sim:spam", excluded="no")
    page = read(desk, back.headers["location"])
    assert "sim:spam counts again" in page
    assert "1 left out" not in page
    assert "taken back in by olga" in page
    rater = read(desk, "/desk/raters/sim:spam")
    assert "labels taken back in Judged by olga" in rater
    assert "labels left out Judged by olga" in rater


def test_viewers_may_look_and_not_exclude(desk: Desk, judging: Judging) -> None:
    desk.client.cookies.clear()
    desk.sign_in("vera")
    page = desk.client.get("/desk/studies/judged/raters")
    assert "Leave out" not in words(page.text)
    token = desk.csrf("/desk/studies/judged")
    refused = desk.client.post(
        "/desk/studies/judged/raters",
        data={"csrf": token, "rater": "sim:spam", "excluded": "yes"},
    )
    assert refused.status_code == 403
    desk.client.cookies.clear()
    desk.sign_in("ruth")
    assert leave_out(desk, "sim:spam").status_code == 303


def test_a_form_from_elsewhere_or_a_stranger_changes_nothing(desk: Desk, judging: Judging) -> None:
    forged = desk.client.post(
        "/desk/studies/judged/raters", data={"rater": "sim:spam", "excluded": "yes"}
    )
    assert forged.status_code == 403
    assert leave_out(desk, "nobody").status_code == 404
    assert "1 left out" not in read(desk, "/desk/studies/judged/raters")


def test_a_rater_has_a_record_across_studies(desk: Desk, judging: Judging) -> None:
    held = judging.sheet("carl", judging.dialogue(), took=125.0)
    held.say("quality", judging.dialogue(), 4)
    desk.store.write_now(
        lambda c: record(
            c,
            participant_id=held.participant_id,
            name="empathy",
            state="passed",
            study_id=judging.study_id,
            reason="2 mistakes",
            now=NOW,
        )
    )
    page = read(desk, f"/desk/raters/{held.alias}")
    assert f"Rater {person_name(held.participant_id)}" in page
    assert f"person Key: {held.alias} 1 answer in 1 study" in page
    assert "Judged 1 1 4.0 s (n = 1) 2:05 (n = 1)" in page
    assert "empathy passed Judged 2 mistakes" in page
    listed = read(desk, "/desk/studies/judged/raters?raters=person")
    assert "empathy: passed" in listed
    assert desk.client.get("/desk/raters/nobody").status_code == 404


def test_raters_can_be_told_apart_by_kind_everywhere(desk: Desk, judging: Judging) -> None:
    judging.say("quality", judging.dialogue(), "judge", 2, kind="model")
    assert "How good was the conversation? 1 –" in read(desk, "/desk/studies/judged?raters=model")
    assert "1 answer by 1 rater" in read(
        desk, "/desk/studies/judged/questions/quality?raters=model"
    )
    assert "Raters of Judged: 1 rater" in read(desk, "/desk/studies/judged/raters?raters=model")
    assert "Raters of Judged: 4 raters" in read(desk, "/desk/studies/judged/raters?raters=cats")


def test_unknown_questions_are_not_found(desk: Desk) -> None:
    near = read(desk, "/desk/studies/judged/questions/qualty", 404)
    assert "Near: 'quality'" in near
    assert desk.client.get("/desk/studies/judged/questions/%00").status_code == 404


def test_a_read_only_copy_measures_without_its_file(desk: Desk, judging: Judging) -> None:
    url = desk.store.url
    store = Store(url, read_only=True)
    try:
        with TestClient(create_app(deploy(store, None), PATIENT)) as client:
            study = words(client.get("/desk/studies/judged/judgements").text)
            assert "quality How good was the conversation? 12" in study
            raters = words(client.get("/desk/studies/judged/raters").text)
            assert "sim:spam" in raters
            assert "Leave out" not in raters
            assert client.get("/desk/studies/judged/questions/polite").status_code == 200
    finally:
        store.close()


class Caller:
    """Calls the API as one account."""

    def __init__(self, desk: Desk, name: str) -> None:
        self.client = desk.client
        self.headers = {"authorization": f"Bearer {desk.token(name)}"}

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.client.get(f"/api/v1/studies/judged{path}", headers=self.headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        answer = self.client.post(f"/api/v1/studies/judged{path}", headers=self.headers, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


def test_the_api_tells_the_same_numbers(desk: Desk, judging: Judging) -> None:
    caller = Caller(desk, "vera")
    listed = caller.get("/questions")
    assert (listed["raters"], listed["excluded"]) == ("all", 0)
    quality = next(each for each in listed["questions"] if each["name"] == "quality")
    assert (quality["labels"], quality["level"], quality["shared"]) == (12, "ordinal", 4)
    (facet,) = quality["facets"]
    assert facet["alpha"] is not None
    assert facet["low"] <= facet["alpha"] <= facet["high"]
    assert {"answer": "5 good", "count": 1} in facet["counts"]
    assert caller.get("/questions?raters=person")["questions"][0]["labels"] == 0
    caller.get("/questions?raters=cats", 422)
    (ann, bob, spam) = caller.get("/raters")["raters"]
    assert (spam["rater"], spam["alike"], spam["compared"]) == ("sim:spam", 1, 8)
    assert ann["seconds_per_label"] == bob["seconds_per_label"] == 4.0


def test_the_api_excludes_and_takes_back_in(desk: Desk, judging: Judging) -> None:
    reviewer, viewer = Caller(desk, "ruth"), Caller(desk, "vera")
    address = "/raters/sim:spam/exclusion"
    viewer.post(address, {"excluded": True}, 403)
    done = reviewer.post(address, {"excluded": True, "reason": "0.5 s per answer"})
    assert (done["excluded"], done["excluded_by"]) == (True, "ruth")
    assert done["exclusion_reason"] == "0.5 s per answer"
    questions = viewer.get("/questions")
    assert questions["excluded"] == 1
    quality = next(each for each in questions["questions"] if each["name"] == "quality")
    assert quality["facets"][0]["alpha"] == pytest.approx(1.0)
    assert reviewer.post(address, {"excluded": False})["excluded"] is False
    reviewer.post("/raters/nobody/exclusion", {"excluded": True}, 404)
    reviewer.post(address, {"excluded": "yes"}, 422)
    assert desk.store.read_now(lambda c: find_rater(c, "sim:spam")) is not None


def test_who_works_without_reading_is_flagged_with_the_evidence(desk: Desk) -> None:
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    for n in range(20):
        key = judging.dialogue()
        judging.say("quality", key, "sim:ann", n % 5 + 1, seconds=8.0)
        judging.say("quality", key, "sim:bob", (n + 1) % 5 + 1, seconds=10.0)
        judging.say("quality", key, "sim:spam", 5, seconds=1.0)
    page = read(desk, "/desk/studies/judged/raters")
    fast = (
        "20 of 20 answers in less than a quarter of the others' time: 1.0 s each; others take 9.0 s"
    )
    line = "20 of 20 answers to “quality” are “5 (good)”; others give it in 20 %"
    assert "sim:spam : too fast, straight-lining" in page
    assert "1 of 3 raters stands out, 1 flagged" in page
    assert f"too fast {fast} straight-lining {line}" in page
    assert "sim:ann" in page
    flagged = read(desk, "/desk/studies/judged/raters?which=flagged")
    assert f"too fast {fast}" in flagged
    table = flagged[flagged.index("Flags, checks and record") :]
    assert "sim:spam" in table
    assert "sim:ann" not in table
    assert f"too fast {fast}" in read(desk, "/desk/raters/sim:spam")
    assert "too fast" not in read(desk, "/desk/raters/sim:ann")
    # A flag leaves nobody out.
    assert "left out" not in read(desk, "/desk/studies/judged/judgements")
    headers = {"Authorization": f"Bearer {desk.token('vera')}"}
    told = desk.client.get("/api/v1/studies/judged/raters", headers=headers).json()["raters"]
    assert [[flag["name"] for flag in each["flags"]] for each in told] == [
        *([], []),
        ["too fast", "straight-lining"],
    ]
    assert told[2]["flags"][0] == {
        **{"name": "too fast", "count": 20, "n": 20, "own": 1.0, "others": 9.0},
        **{"unit": "answer", "evidence": fast},
    }


def test_a_list_of_flagged_raters_may_be_empty(desk: Desk, judging: Judging) -> None:
    assert "No rater is flagged" in read(desk, "/desk/studies/judged/raters?which=flagged")
    everybody = read(desk, "/desk/studies/judged/raters?which=nonsense")
    assert "sim:ann" in everybody


def test_a_judge_stands_beside_people_on_the_page_of_a_question(desk: Desk) -> None:
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    answers = {"gpt": "110010", "Ann": "100010", "Bo": "111000"}
    keys = [judging.dialogue("Hello", "I see.", "Really?", "Yes, really.") for _ in range(4)]
    for who, given in answers.items():
        kind = "model" if who == "gpt" else "person"
        for n, answer in enumerate(given):
            said = {"seq": 3 + 2 * (n % 2), "kind": kind}
            judging.say("polite", keys[n // 2], who, "yes" if answer == "1" else "no", **said)
            judging.say("faults", keys[n // 2], who, ["dull"] if answer == "1" else [], **said)
    judging.say("polite", keys[3], "Ann", "yes", seq=3, kind="person")

    page = read(desk, "/desk/studies/judged/questions/polite")
    labels = read(desk, "/desk/studies/judged/questions/faults")
    people = read(desk, "/desk/studies/judged/questions/polite?raters=person")

    # F1 against Ann is 4 / 5 and against Bo 2 / 3; between Ann and Bo it is 2 / 5.
    assert re.search(r"Judges beside people .* gpt 0\.73 \(\S+ to \S+\) 0\.40 0\.33 \(", page)
    assert "6 turns, 2 people; 1 gap" in page
    assert re.search(r"gpt It is dull 0\.73 ", labels)
    assert re.search(r"gpt It is wrong – – –", labels)
    assert "Judges beside people" not in people


def test_points_and_questions_without_a_judge_have_no_table_of_judges(
    desk: Desk, judging: Judging
) -> None:
    key = judging.dialogue()
    for who, kind in (("gpt", "model"), ("Ann", "person")):
        judging.say("quality", key, who, 4, kind=kind)

    for question in ("quality", "polite"):
        assert "Judges beside people" not in read(
            desk, f"/desk/studies/judged/questions/{question}"
        )
