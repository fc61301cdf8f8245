"""Flags from the store: what raters did is read with few statements and held against the others."""

import pytest

from palaver.analysis.behaviour import Flag
from palaver.annotation.submission import PasteCount
from palaver.core.questions.comparative import SIDES
from palaver.storage import Store
from palaver.storage.judging.summaries import KeptSummary
from palaver.storage.studies.studies import register_study
from palaver.studies.review import measures
from palaver.studies.review.raters import rater_overviews
from support.reviewing import QUESTIONS, STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def judging(store: Store) -> Judging:
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    return Judging(store, study_id)


def flags(judging: Judging) -> dict[str, dict[str, Flag]]:
    """The flags of each rater that has any, by name."""
    found = judging.store.read_now(lambda c: rater_overviews(c, judging.study_id, QUESTIONS))
    return {each.rater: {flag.name: flag for flag in each.flags} for each in found if each.flags}


def test_the_same_point_in_a_moment_is_two_flags_with_their_numbers(judging: Judging) -> None:
    for n in range(20):
        key = judging.dialogue()
        judging.say("quality", key, "sim:ann", n % 5 + 1, seconds=8.0)
        judging.say("quality", key, "sim:bob", (n + 1) % 5 + 1, seconds=10.0)
        judging.say("quality", key, "sim:spam", 5, seconds=1.0)
    assert set(flags(judging)) == {"sim:spam"}
    found = flags(judging)["sim:spam"]
    assert found["too fast"].evidence == (
        "20 of 20 answers in less than a quarter of the others' time: 1.0 s each; others take 9.0 s"
    )
    assert found["straight-lining"].evidence == (
        "20 of 20 answers to “quality” are “5 (good)”; others give it in 20 %"
    )


def test_always_the_left_one_is_a_line_whichever_system_stood_there(judging: Judging) -> None:
    for n in range(30):
        one, other = judging.dialogue(), judging.dialogue()
        first, second = sorted((one, other))
        order = SIDES if n % 2 else SIDES[::-1]
        left = first if n % 2 else second
        judging.prefer(first if n % 3 else second, one, other, "sim:ann", order=order)
        judging.prefer(left, one, other, "sim:left", order=order)
    assert set(flags(judging)) == {"sim:left"}
    assert flags(judging)["sim:left"]["straight-lining"].about == "the one shown first"


def test_a_person_who_has_a_sheet_too_short_to_read_is_too_fast(judging: Judging) -> None:
    said = "word " * 80
    for _ in range(6):
        key = judging.dialogue(said, said)
        judging.sheet("hasty", key, took=9.0).say("quality", key, 4, seconds=None)
        judging.sheet("swift", key, took=18.0).say("quality", key, 4, seconds=None)
    [flag] = [each["too fast"] for each in flags(judging).values()]
    # 160 words take 16 seconds at 600 a minute.
    assert (flag.count, flag.n, flag.own, flag.others) == (6, 6, 9.0, 16.0)


def test_a_dialogue_that_was_read_before_need_not_be_read_again(judging: Judging) -> None:
    key = judging.dialogue("word " * 200)
    for n in range(9):
        judging.sheet("again", key, took=4.0, name=f"part {n}").say("quality", key, 4, seconds=None)
    assert flags(judging) == {}


def test_pasted_texts_are_counted_where_the_page_counted(judging: Judging) -> None:
    text = "A text that a model wrote and somebody pasted into the box."
    for _ in range(6):
        key = judging.dialogue()
        judging.say("remarks", key, "sim:ann", text, pastes=PasteCount(0, 0))
        judging.say("remarks", key, "sim:bob", text)
        judging.say("remarks", key, "sim:spam", text, pastes=PasteCount(1, len(text)))
    assert set(flags(judging)) == {"sim:spam"}
    flag = flags(judging)["sim:spam"]["pasted text"]
    assert (flag.count, flag.n, flag.others) == (6, 6, 0.0)


def test_flags_are_kept_with_what_else_is_measured(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        key = judging.dialogue()
        judging.say("quality", key, "sim:ann", n % 5 + 1)
        judging.say("quality", key, "sim:spam", 5)
    monkeypatch.setattr(measures, "FEW", 0)
    asked = measures.StudyMeasures(
        **{"study_id": judging.study_id, "study": "judged", "digest": "d", "raters": "all"},
        **{"questions": QUESTIONS, "asked": ("quality",), "own": ()},
    )
    store = judging.store
    mark, found = store.read_now(asked.mark), store.read_now(asked.measure_all)
    kept = {name: KeptSummary(mark, content, NOW) for name, content in found.items()}
    store.write_now(lambda c: measures.keep_measures(c, judging.study_id, kept))

    raters = store.read_now(asked.read_raters).value
    assert raters is not None
    assert {each.rater: each.flags for each in raters.raters if each.flags} == {
        "sim:spam": (flags(judging)["sim:spam"]["straight-lining"],)
    }
