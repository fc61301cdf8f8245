"""Recruiting at a panel: created, published, paused, resumed, stopped, enlarged.

Each action writes down first what is meant to be, asks the panel, and then writes down what it said. A
process that is killed in between leaves a row that says what was meant; `recruiter` goes on from it.
Money is spoken for before a place is offered.
"""

from contextlib import suppress
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, PanelError, PanelMissingError, PanelUnknownError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import HeldFor, Recruitment, Wanted
from palaver.core.words import counted
from palaver.storage.recruiting import recruitments as rows
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import speak_for
from palaver.studies.recruiting.offering.codes import write_codes
from palaver.studies.recruiting.offering.need import missing_places
from palaver.studies.recruiting.offering.offers import make_offer
from palaver.studies.recruiting.places.checks import (
    check_known,
    check_offer,
    check_open,
    check_places,
    check_published,
    check_same,
)
from palaver.studies.recruiting.places.standing import (
    ask_panel,
    move_study,
    note_act,
    note_standing,
    note_trouble,
    panel_id,
    read_study,
    record_act,
    want,
)
from palaver.studies.run.deployment import Deployment


async def create(
    deployment: Deployment,
    name: str,
    *,
    base: str,
    actor: Actor,
    places: int | None = None,
    cost: int | None = None,
    is_trial: bool = False,
) -> Recruitment:
    """Create a draft at the panel; nobody sees it and nothing is paid yet.

    `cost` is what somebody was told that it costs: InputError if it is another by now, or with all
    else that is wrong. Where no answer came, the recruitment stays as `creating`, and is looked for at
    the panel by its key.
    """
    foreseen = await make_offer(deployment, deployment.study(name), base=base, places=places)
    check_offer(foreseen, cost)
    await write_codes(deployment, name, actor=actor)
    study = deployment.study(name)
    offer = await make_offer(deployment, study, base=base, places=foreseen.places)
    check_offer(offer, cost)
    assert offer.draft is not None
    assert offer.place_cost is not None
    draft, now = offer.draft, deployment.clock.now()
    place_cost = offer.place_cost
    made = await deployment.store.write(
        lambda c: rows.add_recruitment(
            c,
            study_id=study.id,
            panel=offer.panel,
            title=offer.title,
            places=offer.places,
            reward=offer.reward,
            currency=offer.currency,
            minutes=draft.minutes,
            place_cost=place_cost,
            fee=offer.fee,
            codes=dict(offer.codes),
            terms={"version": study.version, "address": offer.address},
            is_trial=is_trial,
            grows=offer.grows,
            now=now,
        )
    )
    client = await PanelClients.of(deployment).prolific()
    named = named_for(draft.internal_name, made)
    try:
        there = await client.studies.make(replace(draft, internal_name=named))
    except PanelUnknownError as error:
        await note_trouble(deployment, made, str(error))
        raise
    except (InputError, PanelError):
        # Surely not created; after anything else the row stays and is looked for at the panel.
        await deployment.store.write(lambda c: rows.drop_recruitment(c, made))
        raise
    return await note_act(deployment, made, there, act="recruiting.create", actor=actor)


def named_for(name: str, recruitment: Recruitment) -> str:
    """The internal name over there, by which a draft is found of which no answer came."""
    return f"{name} [{recruitment.key}]"


async def find_created(deployment: Deployment, recruitment: Recruitment) -> Recruitment:
    """Look at the panel for a draft of which no answer came; forget the recruitment if there is none."""
    client = await PanelClients.of(deployment).prolific()
    mark = f"[{recruitment.key}]"
    there = next((s for s in await client.studies.all() if s.internal_name.endswith(mark)), None)
    if there is None:
        await deployment.store.write(lambda c: rows.drop_recruitment(c, recruitment))
        raise InputError("The panel has no such draft: it was not created. Create it again.")
    return await note_standing(deployment, recruitment, there)


async def publish(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """Publish a draft: people may come from now on, and its places are spoken for in the budget."""
    check_known(recruitment)
    if recruitment.published is not None:
        raise InputError(f"It is published already; the panel says '{recruitment.state}'.")
    if recruitment.is_trial:
        raise InputError(
            "This is a trial, which is for test participants alone. Nothing was published."
        )
    client = await PanelClients.of(deployment).prolific()
    there = await read_study(deployment, recruitment)
    check_same(deployment, recruitment, there)
    await _reserve(deployment, recruitment, there.places)
    await want(deployment, recruitment, "running")
    if there.status == "unpublished":
        there = await ask_panel(
            deployment, recruitment, lambda: client.studies.move(panel_id(recruitment), "PUBLISH")
        )
    return await note_act(
        deployment, recruitment, there, act="recruiting.publish", actor=actor, is_published=True
    )


async def pause(
    deployment: Deployment, recruitment: Recruitment, *, actor: Actor, held_for: HeldFor = ""
) -> Recruitment:
    """Let nobody new take a place; people who have one go on. With `held_for` it pauses by itself."""
    check_published(recruitment)
    if recruitment.wanted == "stopped":
        raise InputError("It is stopped. Raise the places to recruit again.")
    if held_for and recruitment.wanted != "running":
        return recruitment  # a person paused it: that is not ours to change
    wanted: Wanted = "running" if held_for else "paused"
    await want(deployment, recruitment, wanted, held_for=held_for)
    there = await move_study(deployment, recruitment, "PAUSE", when=("active", "publishing"))
    detail = {"because": held_for} if held_for else {}
    return await note_act(
        deployment, recruitment, there, act="recruiting.pause", actor=actor, detail=detail
    )


async def resume(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """Let people take places again."""
    check_published(recruitment)
    if recruitment.wanted == "stopped":
        raise InputError("It is stopped. Raise the places to recruit again.")
    check_open(deployment, recruitment)
    await want(deployment, recruitment, "running")
    there = await move_study(deployment, recruitment, "START", when=("paused",))
    return await note_act(deployment, recruitment, there, act="recruiting.resume", actor=actor)


async def stop(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """End recruiting: no place is given away any more; submissions are still decided on."""
    check_published(recruitment)
    await want(deployment, recruitment, "stopped")
    there = await move_study(
        deployment, recruitment, "STOP", when=("active", "paused", "publishing", "scheduled")
    )
    return await note_act(deployment, recruitment, there, act="recruiting.stop", actor=actor)


async def set_places(
    deployment: Deployment,
    recruitment: Recruitment,
    places: int,
    *,
    actor: Actor,
    by_itself: bool = False,
) -> Recruitment:
    """Offer so many places in all; a published study takes no fewer than it has.

    Where a person asks for fewer than the quotas need, they are not followed any more; else they are.
    InputError where that would shrink it, go over `most_places`, or cost more than the budget holds.
    """
    check_known(recruitment)
    client = await PanelClients.of(deployment).prolific()
    there = await read_study(deployment, recruitment)
    check_places(deployment, recruitment, places, there)
    await _reserve(deployment, recruitment, places)
    if not by_itself and recruitment.wanted == "stopped":
        await want(deployment, recruitment, "running")
    if places != there.places:
        there = await ask_panel(
            deployment,
            recruitment,
            lambda: client.studies.set_places(panel_id(recruitment), places),
        )
    noted = await note_act(
        deployment,
        recruitment,
        there,
        act="recruiting.places",
        actor=actor,
        detail={"places": places, "before": recruitment.places},
    )
    running = deployment.studies.get(recruitment.study)
    if by_itself or running is None:
        return noted

    def follow(connection: Connection) -> Recruitment:
        is_enough = not missing_places(connection, running, noted)
        return rows.let_grow(connection, noted, is_enough)

    return await deployment.store.write(follow)


async def delete_draft(
    deployment: Deployment, recruitment: Recruitment, *, actor: Actor
) -> Recruitment:
    """Delete a draft at the panel; it stays here as one that is gone."""
    check_known(recruitment)
    if recruitment.published is not None:
        raise InputError("It is published, and the panel deletes drafts alone. Stop it instead.")
    client = await PanelClients.of(deployment).prolific()
    with suppress(PanelMissingError):  # gone is what was wanted
        await client.studies.delete_draft(panel_id(recruitment))
    now = deployment.clock.now()

    def note(connection: Connection) -> Recruitment:
        gone = rows.note_missing(connection, recruitment, "deleted as a draft")
        record_act(connection, gone, "recruiting.delete", actor=actor, now=now)
        return gone

    return await deployment.store.write(note)


async def look(deployment: Deployment, recruitment: Recruitment) -> Recruitment:
    """Read how a recruitment stands at the panel."""
    there = await read_study(deployment, recruitment)
    return await note_standing(deployment, recruitment, there)


async def find(deployment: Deployment, key: str) -> Recruitment:
    """The recruitment with this key; MissingError if there is none."""
    return await deployment.store.read(lambda c: rows.find_recruitment(c, key))


async def _reserve(deployment: Deployment, recruitment: Recruitment, places: int) -> None:
    """Speak for what these places may cost, before they are offered."""
    if recruitment.is_trial:
        return
    study, now = deployment.study(recruitment.study), deployment.clock.now()
    cost = Money(recruitment.place_cost, recruitment.currency) * places
    await deployment.store.write(
        lambda c: speak_for(
            c,
            study.id,
            study.definition,
            kind="places",
            subject=recruitment.key,
            amount=cost,
            what=counted(places, "place"),
            now=now,
        )
    )
