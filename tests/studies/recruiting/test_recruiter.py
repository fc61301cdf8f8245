"""The recruiter: pauses for a reason, goes on when it has passed, and leaves what people paused."""

from pathlib import Path

import pytest

from palaver.core.audit import SERVER
from palaver.core.errors import PanelUnknownError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting import recruitments as rows
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.recruiter import Recruiter
from palaver.studies.run.life import change_life
from support.recruiting import ADA, BASE, Recruiting, recruiting

pytestmark = pytest.mark.asyncio
TERMS = {"description": "You talk with a program.", "most_places": 14}


async def look(home: Recruiting, made: Recruitment) -> Recruitment:
    """The recruitment after the recruiter looked, as if its list were old."""
    await home.deployment.store.write(lambda c: rows.note_checked(c, made, now=0.0))
    await Recruiter.of(home.deployment).look()
    return await recruit.find(home.deployment, made.key)


async def move(home: Recruiting, what: str) -> None:
    study, now = home.study, home.deployment.clock.now()
    await home.deployment.store.write(
        lambda c: change_life(
            c,
            study.id,
            study.name,
            study.definition,
            what,  # type: ignore[arg-type]
            actor=ADA,
            now=now,
        )
    )


async def test_it_rests_while_the_study_is_paused_and_goes_on_with_it(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        await move(home, "pause")
        held = await look(home, made)
        assert (held.state, held.wanted, held.held_for) == ("paused", "running", "study_paused")
        assert stand_in.study(made.panel_id or "").status == "PAUSED"
        await move(home, "resume")
        went_on = await look(home, made)
        assert (went_on.state, went_on.held_for) == ("active", "")


async def test_it_never_resumes_what_a_person_paused_here(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        await recruit.pause(home.deployment, made, actor=ADA)
        await move(home, "pause")
        await look(home, made)
        await move(home, "resume")
        still = await look(home, made)
        assert (still.state, still.wanted) == ("paused", "paused")


async def test_it_never_resumes_what_a_person_paused_over_there(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await look(home, await home.published())
        client = await recruit.PanelClients.of(home.deployment).prolific()
        await client.studies.move(made.panel_id or "", "PAUSE")
        seen = await look(home, made)
        assert (seen.state, seen.wanted, seen.held_for) == ("paused", "paused", "")
        assert (await look(home, seen)).state == "paused"


async def test_it_rests_when_as_many_are_here_as_may_be(tmp_path: Path, stand_in: StandIn) -> None:
    terms = {**TERMS, "at_once": 5}
    async with recruiting(tmp_path, stand_in, recruit=terms) as home:
        made = await home.published()
        visits = await home.come(made, 5)
        held = await look(home, made)
        assert (held.state, held.held_for) == ("paused", "rooms_full")
        await home.finish(visits[0])
        assert (await look(home, made)).state == "active"


async def test_places_follow_the_quotas_that_are_left(tmp_path: Path, stand_in: StandIn) -> None:
    terms = {**TERMS, "places": 4}
    async with recruiting(tmp_path, stand_in, recruit=terms) as home:
        made = await home.published()
        # Ten conversations are needed, and a person asked for four people to begin with.
        assert (made.places, made.grows) == (4, False)
        assert (await look(home, made)).places == 4
        grown = await recruit.set_places(home.deployment, made, 9, actor=ADA)
        assert (grown.places, grown.grows) == (9, False)
        grown = await recruit.set_places(home.deployment, grown, 10, actor=ADA)
        assert (grown.places, grown.grows) == (10, True)
        assert (await look(home, grown)).places == 10
        for visit in await home.come(made, 3):
            stand_in.return_(visit.external_id or "")
        assert (await look(home, grown)).places == 10
        for visit in await home.come(made, 3):
            await home.finish(visit, "partner_left")
        # Three places were used up over there and none here: three more people are needed.
        assert (await look(home, grown)).places == 13


async def test_places_stop_at_the_most_and_at_the_budget(tmp_path: Path, stand_in: StandIn) -> None:
    pay = {"amount": 2.0, "currency": "GBP", "budget": 30}
    async with recruiting(tmp_path, stand_in, recruit=TERMS, pay=pay) as home:
        made = await home.published()
        for visit in await home.come(made, 3):
            await home.finish(visit, "partner_left")
        # Three places were used up over there and none here, and the budget holds no more.
        kept = await look(home, made)
        assert kept.places == 10
        assert "13 places may cost 36.40 GBP, and 30.00 GBP of the budget" in kept.trouble


async def test_without_a_limit_places_do_not_follow_the_quotas(
    tmp_path: Path, stand_in: StandIn
) -> None:
    pay = {"amount": 2.0, "currency": "GBP"}
    async with recruiting(tmp_path, stand_in, recruit={"description": "Talk."}, pay=pay) as home:
        made = await home.published()
        assert (made.places, made.grows) == (10, False)
        for visit in await home.come(made, 3):
            await home.finish(visit, "partner_left")
        assert (await look(home, made)).places == 10


async def test_it_rests_when_a_system_fails_until_a_person_resumes(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        await _fail(home, 3)
        held = await look(home, made)
        assert (held.state, held.held_for) == ("paused", "system_failing")
        assert (await look(home, held)).state == "paused"


async def _fail(home: Recruiting, times: int) -> None:
    """So many conversations of which the system failed a moment ago."""
    from palaver.storage.schema import dialogues

    now, study = home.deployment.clock.now(), home.study.id
    rows_of = [
        {
            "key": f"d_{n}",
            "study_id": study,
            "stage": 0,
            "condition": "tern",
            "group_key": f"g_{n}",
            "position": 0,
            "scenario": "{}",
            "rules": "{}",
            "purpose": "real",
            "created": now,
            "ending": "system_failed",
        }
        for n in range(times)
    ]
    columns = {column.name for column in dialogues.columns}
    kept = [{k: v for k, v in row.items() if k in columns} for row in rows_of]
    await home.deployment.store.write(lambda c: c.execute(dialogues.insert(), kept))


async def test_a_draft_of_which_no_answer_came_is_found(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        stand_in.switches.break_next(how="500", when="after", on="studies/", method="POST")
        with pytest.raises(PanelUnknownError):
            await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        (made,) = await home.deployment.store.read(rows.list_recruitments)
        assert made.state == "creating"
        found = await recruit.find_created(home.deployment, made)
        assert found.panel_id == stand_in.studies[0].id


async def test_a_study_that_was_deleted_over_there_is_said_to_be(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        stand_in.delete_over_there(made.panel_id or "")
        gone = await look(home, made)
        assert gone.state == "missing"
        assert "it was deleted there" in gone.trouble
        with pytest.raises(Exception, match="no longer knows this study"):
            await recruit.pause(home.deployment, gone, actor=SERVER)


async def test_a_currency_that_differs_is_told_before_anything_is_created(
    tmp_path: Path, stand_in: StandIn
) -> None:
    stand_in.pay_in("USD")
    async with recruiting(tmp_path, stand_in) as home:
        with pytest.raises(Exception, match="pays in GBP, and the panel's workspace in USD"):
            await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
    assert stand_in.studies == []


async def test_a_wrong_token_is_one_sentence(
    tmp_path: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "wrong")
    async with recruiting(tmp_path, stand_in) as home:
        with pytest.raises(Exception, match="does not accept the token") as raised:
            await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        assert "wrong" not in str(raised.value)
