"""Ratings and success side by side in a report: of games, of people, and of imported surveys."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy import stats

from palaver.analysis.comparisons import Successes
from palaver.cli.main import palaver
from palaver.core.labels import Label
from palaver.core.questions.question import Shown
from palaver.core.records import DialogueRecord
from palaver.core.units import dialogue_unit, seat_unit
from palaver.formats.cocoa.examples import find_examples
from palaver.formats.found_records import FoundRecord
from palaver.reports.report.contents import report_of
from palaver.reports.report.ratings_summary import summary_of
from palaver.reports.report.study_subject import of_study
from palaver.reports.report.subject import ReportSettings, Subject
from palaver.reports.target import opened_store, opened_study
from palaver.storage import Store
from palaver.storage.dialogues.outcomes import EndedDialogue
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.imports import keep_record
from palaver.storage.studies.studies import register_study
from palaver.studies.file.questions import built_in_question
from palaver.studies.review.outcomes import outcomes_of
from support.cocoa import FRIENDS_EXAMPLE
from support.databases import new_sqlite
from support.reporting import reported_study
from support.seeding import NOW

SETTINGS = ReportSettings(resamples=100)
QUESTION = "would_talk_again"
DEFINITION = f"""\
title: Friends
name: friends
stages:
  - rate: {{from: friends, ask: [{QUESTION}]}}
"""
# By agent 1 of each chat: whether it succeeded, and what agent 0 (and, of people, 1) said.
CHATS: dict[str, list[tuple[int, list[int]]]] = {
    "rulebased": [(1, [4]), (1, [3]), (0, [2])],
    "neural": [(0, [1]), (0, [2])],
    "human": [(1, [5, 4]), (1, [5, 5]), (1, [3])],
}


def imported(folder: Path) -> str:
    """A store with chats of CoCoA and the surveys after them; its address."""
    url = new_sqlite(folder / "palaver.db")
    store = Store(url)

    def work(connection: Any) -> None:
        study_id = register_study(
            connection, name="friends", title="Friends", digest="d", definition=DEFINITION, now=NOW
        )
        for agent, chats in CHATS.items():
            for number, (reward, ratings) in enumerate(chats):
                record = example(f"C_{agent}_{number}", agent, reward)
                key = keep_record(connection, study_id, record)
                for rated, rating in enumerate(ratings):
                    # The first rating is agent 0's, of seat 1; a survey here is of the dialogue.
                    seat = None if len(ratings) == 1 else 1 - rated
                    rate(connection, study_id, key, seat=seat, rating=rating)

    store.write_now(work)
    store.close()
    return url


def example(uuid: str, agent: str, reward: int) -> DialogueRecord:
    """A chat with this agent and outcome, as CoCoA's examples are read."""
    agents = {"0": "human", "1": agent}
    given = {**FRIENDS_EXAMPLE, "uuid": uuid, "agents": agents, "outcome": {"reward": reward}}
    (found,) = find_examples(BytesIO(json.dumps([given]).encode()), "friends.json")
    assert isinstance(found, FoundRecord)
    assert isinstance(found.record, DialogueRecord)
    return found.record


def rate(connection: Any, study_id: int, key: str, *, seat: int | None, rating: int) -> None:
    question = built_in_question(QUESTION)
    unit = dialogue_unit(key) if seat is None else seat_unit(key, seat)
    assert question is not None
    rater = f"{key}:{0 if seat is None else 1 - seat}"
    label = Label(
        unit=unit.key,
        question=QUESTION,
        question_version=question.version,
        rater=rater,
        rater_kind="person",
        value=question.read(rating, Shown()),
        time=NOW,
    )
    units = ensure_units(connection, study_id, [unit])
    rater_id = ensure_rater(connection, key=rater, kind="person", now=NOW)
    append_labels(connection, [NewLabel(label, study_id, units[unit.key], rater_id, None)])


@pytest.fixture(scope="module")
def friends(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = tmp_path_factory.mktemp("friends")
    with opened_store(imported(folder), folder, "friends") as opened:
        return of_study(opened)


def test_people_are_a_system_and_a_dialogue_counts_once(friends: Subject) -> None:
    found = summary_of(friends, SETTINGS)
    (question,) = found.questions
    means = {"people": [4.5, 5, 3], "rulebased": [4, 3, 2], "neural": [1, 2]}
    assert [each.system for each in question.systems] == list(means)
    for each in question.systems:
        assert each.mean == pytest.approx(sum(means[each.system]) / len(means[each.system]))
        assert each.sem == pytest.approx(stats.sem(means[each.system]))
        assert each.n == len(means[each.system])
    assert question.systems[0].ratings == 5


def test_success_is_that_of_the_outcomes(friends: Subject) -> None:
    found = {each.system: each for each in summary_of(friends, SETTINGS).success}
    assert {name: (each.successes, each.n) for name, each in found.items()} == {
        "rulebased": (2, 3),
        "neural": (0, 2),
        "people": (3, 3),
    }
    ends = stats.binomtest(2, 3).proportion_ci(method="wilson")
    interval = found["rulebased"].interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high))


def test_an_outcome_that_does_not_say_is_no_failure() -> None:
    points = {"reward": {"0": 10.0, "1": 0.0}}  # as the game of guesses ends
    deal = {"reward": {"0": 6, "1": 4}, "valid_deal": True, "agreed": True}
    found = outcomes_of(
        [
            EndedDialogue("d1", (), points),
            EndedDialogue("d2", ("rule",), deal),
            EndedDialogue("d3", ("rule",), {**deal, "valid_deal": False}),
            EndedDialogue("d4", ("rule", "neural"), {}),
        ]
    )
    assert (found.unknown, found.successes) == (2, {"rule": Successes(1, 2)})
    assert found.held_by == {"d1": "people", "d2": "rule", "d3": "rule", "d4": "rule and neural"}


def test_the_report_puts_both_side_by_side(friends: Subject) -> None:
    part = next(each for each in report_of(friends, SETTINGS).parts if each.anchor == "summary")
    beside, ratings, tests = part.tables
    assert part.title == "Ratings and success"
    rows = {row["system"]: row for row in beside.rows}
    assert rows["people"][QUESTION] == "4.17 ± 0.60 (3)"
    assert rows["people"]["share"] == 1.0
    assert rows["neural"]["outcomes"] == 2
    assert [column.heading for column in beside.columns][-3:] == [
        *("Success", "95 % interval", "Outcomes"),
    ]
    assert [(row["system"], row["n"], row["ratings"]) for row in ratings.rows] == [
        *(("people", 3, 5), ("rulebased", 3, 3), ("neural", 2, 2)),
    ]
    assert [row["question"] for row in tests.rows] == [QUESTION] * 3 + ["success"] * 3
    assert all(row["adjusted"] >= row["p"] for row in tests.rows)
    assert "averaged first" in part.methods


def test_ratings_without_outcomes_have_no_success(tmp_path: Path) -> None:
    with opened_study(reported_study(tmp_path / "s")) as opened:
        subject = of_study(opened)
    found = summary_of(subject, SETTINGS)
    assert [each.question for each in found.questions][:2] == ["quality", "warmth"]
    assert found.success == ()
    quality = found.questions[0]
    # 8 dialogues of each system, 5 raters of each.
    assert {(each.n, each.ratings) for each in quality.systems} == {(8, 40)}
    part = next(each for each in report_of(subject, SETTINGS).parts if each.anchor == "summary")
    assert part.title == "Ratings over dialogues"


def hits(folder: Path) -> Path:
    """A batch of two forms: how likely, and which of two."""
    context = [["buyer", "hi"], ["seller", "hello"], ["buyer", "is it new ?"]]
    data: dict[str, Any] = {}
    answers: dict[str, list[dict[str, Any]]] = {"w1": [], "w2": []}
    for number in range(4):
        for system, points in {"rule": (2, 1), "neural": (-2, number - 2)}.items():
            qid = f"{system}-C_{number}"
            data[qid] = {"context": context, "response": ["seller", f"{system} says {number}"]}
            for worker, point in zip(answers, points, strict=True):
                answers[worker].append({"qid": qid, "answer": str(point)})
        qid = f"rule-neural-C_{number}"
        said = [["seller", f"{system} says {number}"] for system in ("rule", "neural")]
        data[qid] = {"context": context, "response": said}
        for worker in answers:
            answers[worker].append({"qid": qid, "answer": ("1", "0", "-2", "1")[number]})
    document = {"H1": {"data": data}}
    for worker, given in answers.items():
        document["H1"][f"A-{worker}"] = {"worker_id": worker, "answers": given}
    file = folder / "hits.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_an_old_batch_is_added_up_like_a_study(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = hits(tmp_path)
    arguments = ["import", "cocoa-hits", str(file), "--study", "turk", "--home", str(home)]
    first = CliRunner().invoke(palaver, arguments)
    assert first.exit_code == 0, first.output
    assert "Added 8 dialogues, 24 labels of 2 raters" in first.output
    again = CliRunner().invoke(palaver, arguments)
    assert "Added 0 dialogues, 0 labels" in again.output
    with opened_study(home, study="turk") as opened:
        subject = of_study(opened)
    (question,) = summary_of(subject, SETTINGS).questions
    assert question.question == "response_likelihood"
    rule, neural = question.systems
    assert (rule.system, rule.mean, rule.n, rule.ratings) == ("rule", 1.5, 4, 8)
    assert neural.mean == pytest.approx((-2 + -0.5) / 2)
    (votes,) = subject.votes
    assert sorted(votes.frame.texts("winner").count(word) for word in ("tie", "tie (bothbad)")) == [
        2,
        2,
    ]
    part = next(
        each for each in report_of(subject, SETTINGS).parts if each.anchor.startswith("votes-")
    )
    assert part.lead.startswith("8 votes, 4 of them ties (2 of these say that neither is good)")
    (row,) = part.tables[1].rows
    assert (row["wins"] + row["losses"], row["ties"], row["neither"]) == (4, 4, 2)
    ranked = CliRunner().invoke(
        palaver, ["rank", str(home), "--study", "turk", "--bothbad", "drop", "--json"]
    )
    assert ranked.exit_code == 0, ranked.output
    assert json.loads(ranked.output)["votes"] == 6
    compared = CliRunner().invoke(
        palaver,
        ["compare", str(home), "--study", "turk", "--question", "response_likelihood", "--json"],
    )
    assert compared.exit_code == 0, compared.output
    means = {each["system"]: each["value"] for each in json.loads(compared.output)["systems"]}
    assert means["rule"] == pytest.approx(1.5)
