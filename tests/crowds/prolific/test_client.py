"""The whole API against the stand-in: a study from its draft to its bonuses."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from palaver.core.errors import InputError, PanelMissingError, PanelRefusedError
from palaver.core.money import Money
from palaver.crowds.prolific.client import Prolific
from palaver.crowds.prolific.records import (
    CodeAction,
    CompletionCode,
    PanelStudy,
    StudyFilter,
)
from palaver.crowds.prolific.stand_in.service import StandIn
from support.prolific import client_of, clock_of, drafted, published

REASON = (
    "You answered every question with the same word, although the instructions asked for whole "
)
REASON += "sentences of your own about the conversation."


def run(stand_in: StandIn, walk: Callable[[Prolific], Awaitable[None]]) -> None:
    async def inside() -> None:
        async with client_of(stand_in) as prolific:
            await walk(prolific)

    asyncio.run(inside())


def test_a_study_from_its_draft_to_its_bonuses(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        me = await prolific.account.me()
        assert (me.currency, me.available) == ("GBP", Money(1_000_000, "GBP"))
        made = await prolific.studies.make(drafted())
        assert (made.status, made.reward, made.places_left) == (
            "unpublished",
            Money(150, "GBP"),
            3,
        )
        # 3 × £1.50; a third of it is £1.50; a fifth of that £0.30.
        assert made.total_cost == Money(630, "GBP")
        assert made.estimated_hourly == Money(900, "GBP")
        live = await prolific.studies.move(made.id, "PUBLISH")
        assert live.status == "active"

        one, two, three = stand_in.arrive(3)
        assert (await prolific.studies.get(made.id)).status == "awaiting_review"
        clock_of(stand_in).at += 480
        stand_in.complete(one.id, "DONE")
        stand_in.complete(two.id, "LOOK")
        stand_in.complete(three.id, "LOOK")
        counts = await prolific.submissions.counts(made.id)
        assert counts.by_status["approved"] == 1
        assert counts.of("approved", "awaiting_review") == counts.total == 3
        assert (await prolific.submissions.approve(two.id)).status == "approved"
        rejected = await prolific.submissions.reject(
            three.id, message=REASON, category="LOW_EFFORT"
        )
        assert rejected.status == "rejected"
        again = await prolific.studies.get(made.id)
        # The rejection opens its place again; eight minutes for £1.50 are £11.25 an hour.
        assert (again.status, again.places_taken) == ("active", 2)
        assert again.average_hourly == Money(1125, "GBP")
        assert again.is_underpaying is False

        setup = await prolific.bonuses.set_up(made.id, {one.participant: Money(425, "GBP")})
        assert (setup.amount, setup.fees, setup.vat) == (
            Money(425, "GBP"),
            Money(142, "GBP"),
            Money(28, "GBP"),
        )
        assert stand_in.payments == []
        await prolific.bonuses.pay(setup.id)
        assert [(each.who, each.amount) for each in stand_in.payments] == [(one.participant, 425)]
        assert (await prolific.submissions.get(one.id)).bonuses == (425,)

    run(stand_in, walk)


def test_paying_twice_pays_twice_and_can_be_counted(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific)
        (one,) = stand_in.arrive()
        setup = await prolific.bonuses.set_up(study, {one.id: Money(30, "GBP")})
        await prolific.bonuses.pay(setup.id)
        await prolific.bonuses.pay(setup.id)
        assert [each.amount for each in stand_in.payments] == [30, 30]

    run(stand_in, walk)


def test_a_bonus_for_somebody_who_was_not_there_names_them(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific)
        with pytest.raises(PanelRefusedError, match="taken part in the study: nobody1"):
            await prolific.bonuses.set_up(study, {"nobody1": Money(30, "GBP")})

    run(stand_in, walk)


def test_after_publishing_only_the_name_and_more_places(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific)
        assert (await prolific.studies.rename(study, "wave 3")).internal_name == "wave 3"
        assert (await prolific.studies.set_places(study, 5)).places == 5
        with pytest.raises(PanelRefusedError, match="total_available_places: Places can only"):
            await prolific.studies.set_places(study, 4)
        with pytest.raises(PanelRefusedError, match="name: This cannot be changed"):
            await prolific.studies.change_draft(study, drafted(reward=Money(999, "GBP")))
        with pytest.raises(PanelRefusedError, match="Only an unpublished"):
            await prolific.studies.delete_draft(study)

    run(stand_in, walk)


def test_pausing_stopping_and_adding_places(stand_in: StandIn) -> None:
    async def statuses(prolific: Prolific) -> list[str]:
        study = await published(prolific)
        moved = [
            await prolific.studies.move(study, "PAUSE"),
            await prolific.studies.move(study, "START"),
            await prolific.studies.move(study, "STOP"),
        ]
        with pytest.raises(PanelRefusedError, match="cannot START"):
            await prolific.studies.move(study, "START")
        moved.append(await prolific.studies.set_places(study, 4))
        return [each.status for each in moved]

    async def walk(prolific: Prolific) -> None:
        assert await statuses(prolific) == ["paused", "active", "awaiting_review", "active"]

    run(stand_in, walk)


def test_copies_drafts_and_test_runs(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        made = await prolific.studies.make(drafted())
        copied = await prolific.studies.copy(made.id)
        assert (copied.name, copied.status) == ("Talk with a partner Copy", "unpublished")
        changed = await prolific.studies.change_draft(copied.id, drafted(places=9))
        assert changed.places == 9
        assert await prolific.studies.make_test_participant("me@lab.example")
        tried = await prolific.studies.try_out(copied.id)
        assert tried.address == f"{stand_in.base}/studies/{copied.id}"
        await prolific.studies.delete_draft(made.id)
        with pytest.raises(PanelMissingError, match="nothing by this id"):
            await prolific.studies.get(made.id)
        assert [each.id for each in await prolific.studies.all()] == [copied.id]
        assert await prolific.studies.all(state="ACTIVE") == []
        await prolific.studies.ask_demographics(copied.id)

    run(stand_in, walk)


def test_projects_balance_cost_and_advice(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        account = prolific.account
        (workspace,) = await account.workspaces()
        project = await account.make_project(workspace.id, "Partners")
        assert await account.projects(workspace.id) == [project]
        assert await account.project(project.id) == project
        study = await prolific.studies.make(drafted(project=project.id))
        assert [each.id for each in await prolific.studies.all(project=project.id)] == [study.id]
        cost = await prolific.studies.cost(Money(150, "GBP"), 20)
        assert (cost.rewards, cost.fees, cost.vat, cost.total) == tuple(
            Money(each, "GBP") for each in (3000, 1000, 200, 4200)
        )
        await prolific.studies.move(study.id, "PUBLISH")
        balance = await account.balance(workspace.id)
        assert balance.available == Money(1_000_000 - 630, "GBP")
        assert balance.rewards + balance.fees + balance.vat == balance.available
        advice = await account.pay_advice("GBP", 10, workspace=workspace.id)
        assert (str(advice.least), str(advice.recommended)) == ("6.00 GBP", "9.00 GBP")

    run(stand_in, walk)


def test_a_list_is_read_to_its_end(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific, places=450, reward=Money(1, "GBP"))
        stand_in.arrive(450)
        found = await prolific.submissions.of_study(study)
        assert len({each.id for each in found}) == 450
        pages = [c for c in stand_in.calls if c.path == f"studies/{study}/submissions/"]
        assert len(pages) == 3

    run(stand_in, walk)


def test_groups_keep_people_out_and_forget_softly(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        people = prolific.people
        group = await people.make_group("Seen", workspace=stand_in.workspace, participants=["p1"])
        await people.add_members(group.id, ["p2", "p1"])
        assert await people.members(group.id) == ["p1", "p2"]
        await people.remove_members(group.id, ["p1"])
        assert await people.members(group.id) == ["p2"]
        assert [each.name for each in await people.groups(workspace=stand_in.workspace)] == ["Seen"]
        study = await published(prolific, never_groups=[group.id])
        with pytest.raises(Exception, match="Bad request"):
            stand_in.arrive(study=study, participants=["p2"])
        stand_in.arrive(study=study, participants=["p1"])

    run(stand_in, walk)


def test_filters_are_listed_and_counted(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        entries = {each.filter_id: each for each in await prolific.people.filters()}
        assert (entries["age"].lower, entries["age"].upper) == (18, 100)
        assert entries["handedness"].choices["0"] == "Left"
        wide = [StudyFilter(filter_id="age", lower=18, upper=40)]
        narrow = [*wide, *(StudyFilter(filter_id="age", lower=n, upper=n) for n in (30, 31))]
        assert await prolific.people.eligible(wide, workspace=stand_in.workspace) > 10_000
        assert await prolific.people.eligible(narrow) == 0
        kept = await prolific.people.make_filter_set("Grown up", wide, workspace=stand_in.workspace)
        assert kept.filters == tuple(wide)
        assert await prolific.people.filter_sets(stand_in.workspace) == [kept]
        assert await prolific.people.filter_set(kept.id) == kept
        await prolific.studies.make(drafted(filter_set=kept.id))
        assert stand_in.calls[-1].body["filter_set_id"] == kept.id

    run(stand_in, walk)


def test_messages_go_both_ways(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific)
        people = prolific.people
        group = await people.make_group("All", workspace=stand_in.workspace, participants=["p3"])
        await people.send_message("p1", study=study, body="Thank you")
        await people.send_messages(["p1", "p2"], study=study, body="Come again")
        await people.send_to_group(group.id, body="For all")
        told = [(each.recipient, each.body) for each in stand_in.messages]
        assert told == [
            ("p1", "Thank you"),
            ("p1", "Come again"),
            ("p2", "Come again"),
            ("p3", "For all"),
        ]
        stand_in.write_back("p1", "Where is my pay?", study=study)
        (unread,) = await people.unread()
        assert (unread.sender, unread.body, unread.study) == ("p1", "Where is my pay?", study)
        assert len(await people.messages(user="p1")) == 3
        with pytest.raises(InputError):
            await people.messages()

    run(stand_in, walk)


def test_codes_do_what_they_say(stand_in: StandIn) -> None:
    def code(name: str, action: CodeAction, **more: str) -> CompletionCode:
        return CompletionCode(code=name, code_type="OTHER", actions=(action,), **more)

    async def walk(prolific: Prolific) -> None:
        group = await prolific.people.make_group("Done", workspace=stand_in.workspace)
        study = await published(
            prolific,
            places=4,
            codes=[
                code("IN", CodeAction(action="ADD_TO_PARTICIPANT_GROUP", group=group.id)),
                code("BACK", CodeAction(action="REQUEST_RETURN", return_reason="No consent")),
                code("OUT", CodeAction(action="FIXED_SCREEN_OUT_PAYMENT", reward=20, slots=1)),
                code("PART", CodeAction(action="DYNAMIC_PAYMENT"), actor="researcher"),
            ],
        )
        into, back, out, part = stand_in.arrive(4)
        stand_in.complete(into.id, "IN")
        assert stand_in.members(group.id) == [into.participant]
        stand_in.complete(back.id, "BACK")
        assert (await prolific.submissions.get(back.id)).return_requested is not None
        stand_in.complete(out.id, "OUT")
        assert (await prolific.submissions.get(out.id)).status == "screened_out"
        assert (await prolific.studies.get(study)).places == 5
        with pytest.raises(Exception, match="Bad request"):
            stand_in.complete(part.id, "PART")
        paid = await prolific.submissions.complete(part.id, "PART", percent=40)
        assert paid.status == "partially_approved"
        # £1.50 × 40 % and the screen-out's 20p.
        assert stand_in.submission(part.id).paid == 60

    run(stand_in, walk)


def test_screening_out_asking_back_and_approving_many(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific, places=5, is_screening=True)
        one, two, three, four = stand_in.arrive(4)
        await prolific.submissions.screen_out(
            study, [one.id], pay=Money(14, "GBP"), more_places=True
        )
        assert stand_in.submission(one.id).paid == 14
        assert (await prolific.studies.get(study)).places == 6
        await prolific.submissions.ask_to_return(two.id, ["You left the chat"])
        assert (await prolific.submissions.get(two.id)).return_requested is not None
        stand_in.complete(three.id, "LOOK")
        stand_in.complete(four.id, "WRONG")
        assert (await prolific.submissions.get(four.id)).code == "WRONG"
        await prolific.submissions.approve_all([three.id, four.id])
        await prolific.submissions.approve_all([])
        (five,) = stand_in.arrive()
        stand_in.complete(five.id, "LOOK")
        await prolific.submissions.approve_people(study, [five.participant])
        await prolific.submissions.approve_people(study, [])
        assert (await prolific.submissions.get(five.id)).status == "approved"
        assert (await prolific.submissions.move(two.id, "RETURN")).status == "returned"
        assert (await prolific.submissions.move(two.id, "UNRETURN")).status == "awaiting_review"
        found = {each.id: each.status for each in await prolific.submissions.of_study(study)}
        assert (found[three.id], found[four.id]) == ("approved", "approved")

    run(stand_in, walk)


def test_what_would_be_refused_is_not_sent(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        with pytest.raises(InputError, match="no title"):
            await prolific.studies.make(drafted(title=""))
        with pytest.raises(InputError, match="4 characters"):
            await prolific.submissions.reject("s", message="Bad.", category="OTHER")
        with pytest.raises(InputError, match="8 to 99"):
            await prolific.submissions.complete("s", "X", percent=100)
        with pytest.raises(InputError, match="not an id"):
            await prolific.studies.get("../users/me")
        assert stand_in.calls == []

    run(stand_in, walk)


def test_a_study_that_was_deleted_over_there_is_missing(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        study = await published(prolific)
        stand_in.delete_over_there(study)
        with pytest.raises(PanelMissingError, match="deleted over there"):
            await prolific.studies.move(study, "PAUSE")

    run(stand_in, walk)


def test_the_currency_is_that_of_the_workspace(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> None:
        stand_in.pay_in("JPY")
        study: PanelStudy = await prolific.studies.make(drafted(reward=Money(300, "JPY")))
        assert str(study.reward) == "300 JPY"
        await prolific.studies.move(study.id, "PUBLISH")
        (one,) = stand_in.arrive()
        await prolific.bonuses.set_up(study.id, {one.id: Money(30, "JPY")})
        assert stand_in.calls[-1].body["csv_bonuses"] == f"{one.id},30"

    run(stand_in, walk)
