"""Closing a round: its results are computed once and kept, and nothing changes after that."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import InputError, UnknownNameError
from palaver.storage import Store
from palaver.storage.audit.entries import all_entries
from palaver.storage.judging.evidence import read_evidence
from palaver.storage.judging.exclusions import exclude
from palaver.storage.schema import slots
from palaver.studies.advice.closing import FinalRound, close_round
from palaver.studies.advice.kept_rounds import (
    KEPT,
    RoundResults,
    closed_rounds,
    find_closed,
    round_file,
    round_results,
)
from support.judged_rounds import NOW, JudgedRound, judged_round, open_round


def short(final: FinalRound, folder: Path) -> None:
    (folder / "index.html").write_text(f"{final.closed:.0f}: {final.board.answer}")
    (folder / "board.json").write_text(json.dumps({"judgements": final.board.judgements}))


def close(judged: JudgedRound, *, now: float = NOW, **given: Any) -> RoundResults:
    return close_round(judged.home, judged.study, writer=short, by=COMMAND, now=now, **given)


def test_what_is_kept_is_said_once_and_for_all(store: Store, tmp_path: Path) -> None:
    judged = judged_round(store, tmp_path)
    kept = close(judged)

    assert (kept.study, kept.closed, kept.models) == ("round", NOW, ("heron", "snipe"))
    assert (kept.situations, kept.judgements) == (3, 27)
    page = round_file(judged.home, "round", "index.html")
    (listed,) = [each for each in kept.files if each.path == "index.html"]
    assert listed.sha256 == hashlib.sha256(page).hexdigest()
    assert round_file(judged.home, "round", "") == page

    # Closing again, at another time and whatever came since, gives the same bytes.
    assert close(judged, now=NOW + 100) == kept
    assert round_file(judged.home, "round", "index.html") == page
    assert round_results(judged.home, "round") == kept
    with pytest.raises(UnknownNameError, match="no file 'other'"):
        round_file(judged.home, "round", "other")

    (entry,) = store.read_now(lambda c: list(all_entries(c, AuditFilter(act="round.close"))))
    assert (entry.study, entry.via, entry.time) == ("round", "command", NOW)
    (closed,) = store.read_now(closed_rounds)
    assert (closed.answer, closed.public, closed.models) == (kept.answer, True, 2)


def test_a_round_whose_sheets_wait_is_closed_only_on_purpose(sqlite: Store, tmp_path: Path) -> None:
    opened = open_round(sqlite, tmp_path, 1)
    with pytest.raises(InputError, match="Nobody has judged"):
        close(opened, early=True)
    with pytest.raises(InputError, match="still open"):
        round_results(opened.home, "round")
    opened.simulate()
    sqlite.write_now(lambda c: _reopen(c, opened.study_id))
    with pytest.raises(InputError, match="1 judgement of 'round' wait"):
        close(opened)
    assert find_closed(opened.home, "round") is None
    assert close(opened, early=True).judgements == 9


def _reopen(connection: Connection, study_id: int) -> None:
    """One more rater is wanted for a sheet."""
    one = connection.scalar(select(slots.c.id).where(slots.c.study_id == study_id).limit(1))
    connection.execute(update(slots).where(slots.c.id == one).values(state="free"))


def test_one_that_dies_on_the_way_leaves_the_round_open(sqlite: Store, tmp_path: Path) -> None:
    judged = judged_round(sqlite, tmp_path, 1)

    def dies(final: FinalRound, folder: Path) -> None:
        short(final, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        close_round(judged.home, judged.study, writer=dies, by=COMMAND, now=NOW)
    assert find_closed(judged.home, "round") is None
    assert close(judged).judgements == 9


def test_answers_that_come_meanwhile_are_counted(store: Store, tmp_path: Path) -> None:
    judged = judged_round(store, tmp_path, 1)
    seen: list[int] = []

    def meanwhile(final: FinalRound, folder: Path) -> None:
        short(final, folder)
        seen.append(final.board.judgements)
        if len(seen) == 1:
            store.write_now(lambda c: _exclude_one(c, judged.study_id))

    kept = close_round(judged.home, judged.study, writer=meanwhile, by=COMMAND, now=NOW)
    assert len(seen) == 2
    assert kept.judgements == seen[1] < seen[0]


def test_two_that_close_at_once_keep_one(store: Store, tmp_path: Path) -> None:
    judged = judged_round(store, tmp_path, 1)
    other: list[RoundResults] = []

    def overtaken(final: FinalRound, folder: Path) -> None:
        short(final, folder)
        other.append(close(judged, now=NOW + 1))

    kept = close_round(judged.home, judged.study, writer=overtaken, by=COMMAND, now=NOW)
    assert [kept] == other
    assert len(store.read_now(closed_rounds)) == 1


def test_a_list_that_was_changed_is_not_believed(sqlite: Store, tmp_path: Path) -> None:
    judged = judged_round(sqlite, tmp_path, 1)
    close(judged)
    (file,) = (tmp_path / "objects").rglob(KEPT)
    file.write_text(file.read_text().replace('"judgements":9', '"judgements":8'))
    with pytest.raises(InputError, match="not the one that was kept"):
        round_file(judged.home, "round", "index.html")


def _exclude_one(connection: Connection, study_id: int) -> None:
    said = read_evidence(connection, study_id, question="advice_better")
    number = said[0].rating.rater_id
    exclude(connection, study_id=study_id, rater_id=number, excluded=True, now=NOW)
