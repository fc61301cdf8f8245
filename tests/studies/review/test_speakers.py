"""Agreement on turns of two speakers who are offered different answers: computed apart."""

import json
import random
from typing import Any

import krippendorff
import numpy as np
import pytest

from palaver.core.questions import Question
from palaver.formats.dch2 import read_dch2
from palaver.storage import Store
from palaver.storage.judging.ratings import Rating
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.questions import build_questions, built_in_question
from palaver.studies.intake.dch2 import take_in
from palaver.studies.review.answers import (
    coded_answers,
    facet_words,
    facets_of,
    speakers_apart,
)
from palaver.studies.review.evidence import study_evidence
from palaver.studies.review.questions import question_overview, read_answers, stored_questions
from support.dialeval import CUSTOMER, HELPDESK, STC3, TRUTH

ANY = [{"id": "fine", "text": "Fine"}, {"id": "rude", "text": "Rude"}]


def question(**given: Any) -> Question:
    entry = {"kind": "choice", "text": "What is it?", "speaker": "any", **given}
    return build_questions({"q": entry}).questions["q"]


def counts_alpha(counts: list[list[int]]) -> float:
    """Nominal α depends on the counts of each unit alone."""
    return float(krippendorff.alpha(value_counts=np.array(counts), level_of_measurement="nominal"))


def test_which_questions_are_apart() -> None:
    nuggets = built_in_question("nuggets")
    assert nuggets is not None
    assert speakers_apart(nuggets)
    assert not speakers_apart(question(options=ANY))
    helped = {"id": "helped", "text": "Helped", "speaker": "system"}
    assert speakers_apart(question(options=[*ANY, helped]))
    # Only the system's turns are asked about: there is nothing to tell apart.
    assert not speakers_apart(question(options=[*ANY, helped], speaker="system"))


def test_an_answer_that_both_may_get_is_told_apart_by_who_spoke() -> None:
    asked = question(options=[*ANY, {"id": "helped", "text": "Helped", "speaker": "system"}])
    said = [(1, "fine"), (1, "rude"), (2, "fine"), (2, "helped")]
    ratings = [
        Rating("q", asked.version, unit, rater, value, None)
        for rater, (unit, value) in enumerate(said)
    ]
    facets = facets_of(asked, ratings, {1: "user", 2: "system"})
    assert [(facet.name, facet.scale) for facet in facets] == [
        ("user", ("fine", "rude")),
        ("system", ("fine", "rude", "helped")),
    ]
    assert facet_words(asked, facets[1]) == "turns of the system"
    coded = coded_answers(asked, facets, ratings, {1: "user", 2: "system"})
    assert [each.codes for each in coded] == [
        *(("fine", None), ("rude", None), (None, "fine"), (None, "helped"))
    ]


def test_a_label_of_one_speaker_says_nothing_of_the_others_turns() -> None:
    own = [{"id": "asks", "text": "Asks", "speaker": "user"}, *ANY]
    asked = question(kind="multiselect", options=own)
    ratings = [
        Rating("q", asked.version, unit, rater, value, "|".join(value))
        for unit, value in ((1, ["asks"]), (2, ["fine"]))
        for rater in (1, 2)
    ]
    asks, fine, _ = facets_of(asked, ratings, {1: "user", 2: "system"})
    coded = coded_answers(asked, (asks, fine), ratings, {1: "user", 2: "system"})
    assert [each.codes for each in coded] == [(True, False)] * 2 + [(None, True)] * 2


@pytest.fixture
def annotated(store: Store) -> Store:
    content = [*TRUTH, {**TRUTH[0], "id": "d4"}]
    take_in(store, read_dch2(json.dumps(content).encode()), study="dch", now=5.0)
    return store


def counts_of(entries: list[dict[str, Any]], sender: str, labels: list[str]) -> list[list[int]]:
    return [
        [sum(said["nugget"][n] == label for said in entry["annotations"]) for label in labels]
        for entry in entries
        for n, turn in enumerate(entry["turns"])
        if turn["sender"] == sender
    ]


def test_pages_and_tables_have_alpha_by_speaker(annotated: Store) -> None:
    def read(connection: Any) -> Any:
        [study] = list_studies(connection)
        questions = stored_questions(study.definition)
        answers = read_answers(connection, study.id, questions=questions)
        overview = question_overview("nuggets", questions["nuggets"], answers, resamples=0)
        evidence = study_evidence(connection, study_id=study.id, name="dch", questions=questions)
        return overview, evidence

    overview, evidence = annotated.read_now(read)
    entries = [*TRUTH, {**TRUTH[0], "id": "d4"}]
    customer = counts_alpha(counts_of(entries, "customer", CUSTOMER))
    helpdesk = counts_alpha(counts_of(entries, "helpdesk", HELPDESK))
    assert [(facet.name, facet.alpha) for facet in overview.facets] == [
        ("turns of the user", pytest.approx(customer, abs=1e-12)),
        ("turns of the system", pytest.approx(helpdesk, abs=1e-12)),
    ]
    assert [facet.units for facet in overview.facets] == [7, 5]
    named = {each.name: each for each in evidence.measured}
    assert set(named["nuggets: user"].ratings.column("speaker")) == {"user"}
    assert set(named["satisfaction"].ratings.column("speaker")) == {None}


@pytest.mark.skipif(not STC3.is_dir(), reason="needs the STC-3 files of this project")
def test_real_nuggets_as_krippendorffs_package_counts_them(store: Store) -> None:
    lines = (STC3 / "stc3_dev_en.jsonl").read_text(encoding="utf-8").splitlines()[:40]
    counted = [json.loads(line) for line in lines]
    entries = []
    for entry in counted:
        columns = [
            [label for label, count in counts.items() for _ in range(count)]
            for counts in entry["nugget"]
        ]
        for column in columns:
            random.Random(entry["id"]).shuffle(column)
        annotations = [{"nugget": list(said)} for said in zip(*columns, strict=True)]
        entries.append({"id": entry["id"], "turns": entry["turns"], "annotations": annotations})
    take_in(store, read_dch2(json.dumps(entries).encode()), study="dch", now=5.0)

    def read(connection: Any) -> Any:
        [study] = list_studies(connection)
        questions = stored_questions(study.definition)
        answers = read_answers(connection, study.id, questions=questions)
        return question_overview("nuggets", questions["nuggets"], answers, resamples=0)

    overview = store.read_now(read)
    for facet, (sender, labels) in zip(
        overview.facets, (("customer", CUSTOMER), ("helpdesk", HELPDESK)), strict=True
    ):
        counts = [
            [given.get(label, 0) for label in labels]
            for entry in counted
            for turn, given in zip(entry["turns"], entry["nugget"], strict=True)
            if turn["sender"] == sender
        ]
        assert facet.alpha == pytest.approx(counts_alpha(counts), abs=1e-12)
