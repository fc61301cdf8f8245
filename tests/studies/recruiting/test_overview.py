"""A recruitment at a glance, and what of it a viewer may not see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import MissingError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.serial import encode
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.books import read_payments, read_reconciliation
from palaver.studies.recruiting.overview import (
    RecruitmentSheet,
    order_of,
    payments_without_ids,
    read_recruitments,
    read_sheet,
    recruitment_of,
    spent_words,
    without_panel_ids,
)
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.tables import payments_csv, submissions_csv
from support.recruiting import Recruiting, prolific_in_reach, recruiting
from support.recruiting_desk import fill

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def sheet_of(home: Recruiting, recruitment: Recruitment) -> RecruitmentSheet:
    now = home.deployment.clock.now()
    return await home.deployment.store.read(
        lambda c: read_sheet(c, recruitment, home.study.definition, now=now)
    )


async def test_the_first_line_is_the_answer(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await home.published()
        sheet = await sheet_of(home, recruitment)
        assert sheet.words == "Recruiting at Prolific: 0 of 10 places taken."
        visits = await home.come(recruitment, 3)
        await home.finish(visits[0])
        await news.read_all(home.deployment, recruitment)
        found = await home.deployment.store.read(
            lambda c: recruitment_of(c, home.study.id, recruitment.key)
        )
        sheet = await sheet_of(home, found)
        assert sheet.words == (
            "Recruiting at Prolific: 3 of 10 places taken, 1 waiting for your decision."
        )
        assert sheet.spent == 0
        assert spent_words(sheet) == (
            "0.00 GBP paid so far, 28.00 GBP spoken for of a budget of 200.00 GBP."
        )


async def test_a_key_of_another_study_finds_nothing(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await fill(home, people=20)
        store = home.deployment.store
        with pytest.raises(MissingError):
            await store.read(lambda c: recruitment_of(c, home.study.id + 1, recruitment.key))
        (order, *_) = (await store.read(lambda c: read_payments(c, recruitment))).orders
        another = await home.published()
        with pytest.raises(MissingError):
            await store.read(lambda c: order_of(c, another, order.key))
        listed = await store.read(lambda c: read_recruitments(c, home.study.id))
        assert listed.current is not None
        assert listed.current.key == another.key


async def test_viewers_see_neither_ids_nor_codes(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await fill(home, people=20)
        store, now = home.deployment.store, home.deployment.clock.now()
        reconciled = await store.read(lambda c: read_reconciliation(c, recruitment, now=now))
        books = await store.read(lambda c: read_payments(c, recruitment))
        shown = str(without_panel_ids(reconciled)) + str(payments_without_ids(books))
        secrets = {
            *(each.id for each in stand_in.submissions),
            *(each.participant for each in stand_in.submissions),
            *recruitment.codes.values(),
            "=WRONG",
        }
        assert [each for each in secrets if each in shown] == []
        # To reviewers ids are told; the codes of the study are in no answer of the API at all.
        told = encode(reconciled).decode()
        assert stand_in.submissions[0].id in told
        assert '"code":' not in told


async def test_tables_hold_no_formulas(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await fill(home, people=20)
        store, now = home.deployment.store, home.deployment.clock.now()
        reconciled = await store.read(lambda c: read_reconciliation(c, recruitment, now=now))
        text = submissions_csv(recruitment, reconciled)
        assert len(text.splitlines()) == 21
        assert "other_code" in text
        row = reconciled.rows[0]
        assert row.submission is not None
        object.__setattr__(row.submission, "participant", "=HYPERLINK(1)")
        assert "'=HYPERLINK(1)" in submissions_csv(recruitment, reconciled)
        books = await store.read(lambda c: read_payments(c, recruitment))
        assert "by_hand" in payments_csv(books, {})
