"""The life of a study: who may pause, close and reopen it, what its dates say, and who is let in."""

from pathlib import Path

import pytest

from palaver.core.audit import COMMAND, SERVER, Actor, AuditFilter
from palaver.core.errors import ConflictError, InputError
from palaver.core.listings import Window
from palaver.core.studies.life import LifeMove, StudyLife
from palaver.core.studies.stops import StudyStop
from palaver.storage import Store
from palaver.storage.audit.entries import read_entries
from palaver.storage.audit.verification import verify
from palaver.storage.studies.stops import keep_stop
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study_text
from palaver.studies.run.life import change_life, read_history, read_life
from support.seeding import NOW, STUDY

ADA = Actor("ada", "desk")
STOP = StudyStop(
    time=NOW, reason="decided", votes=3, raters=3, answer="a leads", until="order", within=0.05
)


def new_study(store: Store, folder: Path, dates: str = "") -> tuple[int, Study]:
    """A study in the store, and its file."""
    text = STUDY.format(name="pilot", title="Pilot", needed=3) + dates
    study = load_study_text(text, folder / "study.yaml")
    study_id = store.write_now(
        lambda c: register_study(
            c, name="pilot", title="Pilot", digest=study.digest, definition=text, now=NOW
        )
    )
    return study_id, study


def move(
    store: Store, known: tuple[int, Study], how: LifeMove, *, by: Actor = ADA, why: str = ""
) -> StudyLife:
    study_id, study = known
    return store.write_now(
        lambda c: change_life(c, study_id, "pilot", study, how, actor=by, reason=why, now=NOW)
    )


def life(store: Store, known: tuple[int, Study], now: float = NOW) -> StudyLife:
    return store.read_now(lambda c: read_life(c, known[0], known[1], now=now))


def test_a_study_is_open_until_somebody_decides_otherwise(store: Store, tmp_path: Path) -> None:
    known = new_study(store, tmp_path)
    assert life(store, known) == StudyLife()

    paused = move(store, known, "pause", why=" budget ")
    assert (paused.state, paused.account, paused.reason, paused.since) == (
        *("paused", "ada", "budget"),
        NOW,
    )
    assert paused.moves == ("resume", "close")
    assert move(store, known, "resume").state == "open"
    assert move(store, known, "close", by=COMMAND).words.startswith("closed since ")
    assert move(store, known, "reopen").state == "open"

    history = store.read_now(lambda c: read_history(c, known[0])).changes
    assert [change.state for change in history] == ["paused", "open", "closed", "open"]
    entries = store.read_now(
        lambda c: read_entries(c, AuditFilter(study="pilot"), Window(size=10))
    ).rows
    assert [entry.act for entry in entries][:4] == [
        *("study.reopen", "study.close", "study.resume", "study.pause")
    ]
    assert entries[3].detail == {"reason": "budget"}
    assert store.read_now(lambda c: verify(c, None)).breaks == ()


@pytest.mark.parametrize(
    ("done", "wanted", "words"),
    [
        ([], "resume", "The study is open"),
        ([], "reopen", "Only a closed study"),
        (["pause"], "pause", "The study is paused since"),
        (["pause"], "reopen", "a paused one is resumed"),
        (["close"], "pause", "Reopen a closed study"),
        (["close"], "resume", "a closed one is reopened"),
        (["close"], "close", "The study is closed since"),
    ],
)
def test_what_makes_no_sense_is_refused(
    store: Store, tmp_path: Path, done: list[LifeMove], wanted: LifeMove, words: str
) -> None:
    known = new_study(store, tmp_path)
    for each in done:
        move(store, known, each)
    with pytest.raises(ConflictError, match=words):
        move(store, known, wanted)


def test_what_a_person_paused_does_not_resume_by_itself(store: Store, tmp_path: Path) -> None:
    known = new_study(store, tmp_path)
    move(store, known, "pause")
    with pytest.raises(ConflictError, match="Somebody paused"):
        move(store, known, "resume", by=SERVER)
    move(store, known, "resume")
    move(store, known, "pause", by=SERVER, why="the system does not answer")
    assert move(store, known, "resume", by=SERVER).state == "open"


def test_a_study_that_its_rule_stopped_stays_stopped(store: Store, tmp_path: Path) -> None:
    known = new_study(store, tmp_path)
    store.write_now(lambda c: keep_stop(c, known[0], STOP))
    assert not life(store, known).takes_people
    with pytest.raises(ConflictError, match="stopped by its rule"):
        move(store, known, "reopen")
    move(store, known, "close")
    with pytest.raises(ConflictError, match="stopped by its rule"):
        move(store, known, "reopen")


def test_dates_open_and_close_a_study(store: Store, tmp_path: Path) -> None:
    dates = "dates: {opens: 2026-11-20 09:00, closes: 2026-12-01 18:00, zone: Europe/Berlin}\n"
    known = new_study(store, tmp_path, dates)
    opens, closes = 1_795_161_600.0, 1_796_144_400.0
    assert (known[1].dates.opening, known[1].dates.closing) == (opens, closes)

    early = life(store, known, opens - 1)
    assert (early.state, early.words) == ("not_yet_open", "opens 2026-11-20 08:00 UTC")
    assert life(store, known, opens).state == "open"
    late = life(store, known, closes)
    assert (late.state, late.since, late.by_dates) == ("closed", closes, True)
    assert late.moves == ()
    study_id, study = known
    with pytest.raises(ConflictError, match=r"as its dates say\. Change 'closes'"):
        store.write_now(
            lambda c: change_life(c, study_id, "pilot", study, "reopen", actor=ADA, now=closes + 1)
        )


def test_a_reason_is_a_sentence(store: Store, tmp_path: Path) -> None:
    known = new_study(store, tmp_path)
    with pytest.raises(InputError, match="at most 500 characters"):
        move(store, known, "pause", why="x" * 501)
    with pytest.raises(InputError):
        move(store, known, "pause", why="a\0b")
    assert life(store, known).state == "open"
