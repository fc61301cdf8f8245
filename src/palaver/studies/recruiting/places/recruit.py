"""Recruiting at a panel: created, published, paused, resumed, stopped, enlarged.

Each action writes down first what is meant to be, asks the panel, and then writes down what it said. A
process that is killed in between leaves a row that says what was meant; `recruiter` goes on from it.
Money is spoken for before a place is offered.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import (
    ConflictError,
    InputError,
    PanelError,
    PanelMissingError,
    PanelUnknownError,
)
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import HeldFor, Recruitment, Wanted
from palaver.core.words import counted
from palaver.crowds.prolific.records import PanelStudy, StudyAction
from palaver.storage.audit.entries import record
from palaver.storage.recruiting import recruitments as rows
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import check_currency, speak_for
from palaver.studies.recruiting.offering.codes import write_codes
from palaver.studies.recruiting.offering.need import missing_places
from palaver.studies.recruiting.offering.offers import Offer, make_offer
from palaver.studies.run.deployment import Deployment

T = TypeVar("T")

MOST_PLACES = 100_000
GONE = (
    "The panel no longer knows this study: it was deleted there. Nothing was changed; what is here "
    "stays. Create a new recruitment to go on."
)


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
    _check_offer(foreseen, cost)
    await write_codes(deployment, name, actor=actor)
    study = deployment.study(name)
    offer = await make_offer(deployment, study, base=base, places=foreseen.places)
    _check_offer(offer, cost)
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
        await _trouble(deployment, made, str(error))
        raise
    except (InputError, PanelError):
        # Surely not created; after anything else the row stays and is looked for at the panel.
        await deployment.store.write(lambda c: rows.drop_recruitment(c, made))
        raise
    return await _noted(deployment, made, there, act="recruiting.create", actor=actor)


def _check_offer(offer: Offer, cost: int | None) -> None:
    if offer.problems or offer.draft is None or offer.cost is None:
        raise InputError(" ".join(offer.problems) or "The panel did not say what this costs.")
    if cost is not None and offer.cost != cost:
        raise InputError(
            f"It costs {Money(offer.cost, offer.currency)} by now, and "
            f"{Money(cost, offer.currency)} was agreed on. Nothing was created. Look at it again."
        )


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
    return await _told(deployment, recruitment, there)


async def publish(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """Publish a draft: people may come from now on, and its places are spoken for in the budget."""
    _check_known(recruitment)
    if recruitment.published is not None:
        raise InputError(f"It is published already; the panel says '{recruitment.state}'.")
    if recruitment.is_trial:
        raise InputError(
            "This is a trial, which is for test participants alone. Nothing was published."
        )
    client = await PanelClients.of(deployment).prolific()
    there = await _asked(deployment, recruitment, lambda: client.studies.get(_id(recruitment)))
    await _check_same(deployment, recruitment, there)
    await _reserve(deployment, recruitment, there.places)
    await _wanted(deployment, recruitment, "running")
    if there.status == "unpublished":
        there = await _asked(
            deployment, recruitment, lambda: client.studies.move(_id(recruitment), "PUBLISH")
        )
    return await _noted(
        deployment, recruitment, there, act="recruiting.publish", actor=actor, is_published=True
    )


async def pause(
    deployment: Deployment, recruitment: Recruitment, *, actor: Actor, held_for: HeldFor = ""
) -> Recruitment:
    """Let nobody new take a place; people who have one go on. With `held_for` it pauses by itself."""
    _check_published(recruitment)
    if recruitment.wanted == "stopped":
        raise InputError("It is stopped. Raise the places to recruit again.")
    if held_for and recruitment.wanted != "running":
        return recruitment  # a person paused it: that is not ours to change
    wanted: Wanted = "running" if held_for else "paused"
    await _wanted(deployment, recruitment, wanted, held_for=held_for)
    there = await _moved(deployment, recruitment, "PAUSE", when=("active", "publishing"))
    detail = {"because": held_for} if held_for else {}
    return await _noted(
        deployment, recruitment, there, act="recruiting.pause", actor=actor, detail=detail
    )


async def resume(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """Let people take places again."""
    _check_published(recruitment)
    if recruitment.wanted == "stopped":
        raise InputError("It is stopped. Raise the places to recruit again.")
    await _check_open(deployment, recruitment)
    await _wanted(deployment, recruitment, "running")
    there = await _moved(deployment, recruitment, "START", when=("paused",))
    return await _noted(deployment, recruitment, there, act="recruiting.resume", actor=actor)


async def stop(deployment: Deployment, recruitment: Recruitment, *, actor: Actor) -> Recruitment:
    """End recruiting: no place is given away any more; submissions are still decided on."""
    _check_published(recruitment)
    await _wanted(deployment, recruitment, "stopped")
    there = await _moved(
        deployment, recruitment, "STOP", when=("active", "paused", "publishing", "scheduled")
    )
    return await _noted(deployment, recruitment, there, act="recruiting.stop", actor=actor)


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
    _check_known(recruitment)
    client = await PanelClients.of(deployment).prolific()
    there = await _asked(deployment, recruitment, lambda: client.studies.get(_id(recruitment)))
    _check_places(deployment, recruitment, places, there)
    await _reserve(deployment, recruitment, places)
    if not by_itself and recruitment.wanted == "stopped":
        await _wanted(deployment, recruitment, "running")
    if places != there.places:
        there = await _asked(
            deployment, recruitment, lambda: client.studies.set_places(_id(recruitment), places)
        )
    noted = await _noted(
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
    _check_known(recruitment)
    if recruitment.published is not None:
        raise InputError("It is published, and the panel deletes drafts alone. Stop it instead.")
    client = await PanelClients.of(deployment).prolific()
    with suppress(PanelMissingError):  # gone is what was wanted
        await client.studies.delete_draft(_id(recruitment))
    now = deployment.clock.now()

    def note(connection: Connection) -> Recruitment:
        gone = rows.note_missing(connection, recruitment, "deleted as a draft")
        _record(connection, gone, "recruiting.delete", actor, now, {})
        return gone

    return await deployment.store.write(note)


async def look(deployment: Deployment, recruitment: Recruitment) -> Recruitment:
    """Read how a recruitment stands at the panel."""
    client = await PanelClients.of(deployment).prolific()
    there = await _asked(deployment, recruitment, lambda: client.studies.get(_id(recruitment)))
    return await _told(deployment, recruitment, there)


async def find(deployment: Deployment, key: str) -> Recruitment:
    """The recruitment with this key; MissingError if there is none."""
    return await deployment.store.read(lambda c: rows.find_recruitment(c, key))


def _id(recruitment: Recruitment) -> str:
    assert recruitment.panel_id is not None
    return recruitment.panel_id


def _check_known(recruitment: Recruitment) -> None:
    if recruitment.state == "missing":
        raise InputError(GONE)
    if recruitment.panel_id is None:
        raise InputError(
            "No answer came when this was created. Look at the panel first, or have it looked for "
            "there: 'palaver crowd find'."
        )


def _check_published(recruitment: Recruitment) -> None:
    _check_known(recruitment)
    if recruitment.published is None:
        raise InputError("It is a draft that nobody sees. Publish it first.")


def _check_places(
    deployment: Deployment, recruitment: Recruitment, places: int, there: PanelStudy
) -> None:
    published = recruitment.published is not None
    if not 1 <= places <= MOST_PLACES:
        raise InputError(f"There may be 1 to {MOST_PLACES:,} places; got {places:,}.")
    if published and places < there.places:
        raise InputError(
            f"The panel has {counted(there.places, 'place')} on offer and takes no fewer; got "
            f"{places:,}. Nothing was changed. Pause or stop it to have fewer people come."
        )
    running = deployment.studies.get(recruitment.study)
    terms = running.definition.recruit if running is not None else None
    if terms is not None and terms.most_places is not None and places > terms.most_places:
        raise InputError(
            f"The study file allows {terms.most_places:,} places at most ('most_places' under "
            f"'recruit'); got {places:,}. Nothing was changed."
        )


async def _check_same(deployment: Deployment, recruitment: Recruitment, there: PanelStudy) -> None:
    """InputError if the draft was changed over there so that it would pay otherwise than told here."""
    study = deployment.study(recruitment.study).definition
    if there.currency:
        check_currency(study, there.currency)
    if there.reward is not None and there.reward.minor != recruitment.reward:
        raise InputError(
            f"The draft pays {there.reward} at the panel, and "
            f"{Money(recruitment.reward, recruitment.currency)} was agreed on here. It was not "
            "published. Put the draft right there, or create a new one."
        )


async def _check_open(deployment: Deployment, recruitment: Recruitment) -> None:
    running = deployment.studies.get(recruitment.study)
    if running is not None and running.stopped.is_set():
        raise InputError(
            "The study's own rule has stopped it: whoever came would find it closed. Nothing was "
            "changed."
        )


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


async def _moved(
    deployment: Deployment, recruitment: Recruitment, action: StudyAction, *, when: tuple[str, ...]
) -> PanelStudy:
    """The study over there, moved if it is in a state from which it can be."""
    client = await PanelClients.of(deployment).prolific()
    there = await _asked(deployment, recruitment, lambda: client.studies.get(_id(recruitment)))
    if there.status not in when:
        return there
    return await _asked(
        deployment,
        recruitment,
        lambda: client.studies.move(_id(recruitment), action),
    )


async def _asked(
    deployment: Deployment, recruitment: Recruitment, ask: Callable[[], Awaitable[T]]
) -> T:
    """What the panel answers; that it knows nothing of the study any more is written down."""
    try:
        return await ask()
    except PanelMissingError as error:
        await deployment.store.write(lambda c: rows.note_missing(c, recruitment, GONE))
        raise InputError(GONE) from error
    except PanelUnknownError as error:
        await _trouble(deployment, recruitment, str(error))
        raise


async def _trouble(deployment: Deployment, recruitment: Recruitment, words: str) -> None:
    await deployment.store.write(lambda c: rows.note_trouble(c, recruitment, words[:1000]))


async def _wanted(
    deployment: Deployment, recruitment: Recruitment, wanted: Wanted, *, held_for: HeldFor = ""
) -> None:
    def write(connection: Connection) -> None:
        known = rows.find_recruitment(connection, recruitment.key, lock=True)
        if held_for and known.wanted != "running":
            raise ConflictError("A person paused this meanwhile.")
        rows.want(connection, known, wanted, held_for=held_for)

    await deployment.store.write(write)


async def _told(deployment: Deployment, recruitment: Recruitment, there: PanelStudy) -> Recruitment:
    """Write down what the panel says of a recruitment."""
    now = deployment.clock.now()
    is_out = there.status not in ("unpublished", "scheduled", "")
    return await deployment.store.write(
        lambda c: rows.note_panel(
            c,
            recruitment,
            panel_id=there.id,
            state=there.status,
            places=there.places or None,
            taken=there.places_taken,
            published=now if is_out else None,
        )
    )


async def _noted(
    deployment: Deployment,
    recruitment: Recruitment,
    there: PanelStudy,
    *,
    act: str,
    actor: Actor,
    is_published: bool = False,
    detail: Mapping[str, object] | None = None,
) -> Recruitment:
    """Write down what the panel said to an act, and the act."""
    now = deployment.clock.now()
    is_out = is_published or there.status not in ("unpublished", "scheduled", "")

    def note(connection: Connection) -> Recruitment:
        known = rows.note_panel(
            connection,
            recruitment,
            panel_id=there.id,
            state=there.status,
            places=there.places or None,
            taken=there.places_taken,
            published=now if is_out else None,
        )
        _record(connection, known, act, actor, now, detail or {})
        return known

    return await deployment.store.write(note)


def _record(
    connection: Connection,
    recruitment: Recruitment,
    act: str,
    actor: Actor,
    now: float,
    detail: Mapping[str, object],
) -> None:
    record(
        connection,
        act,
        by=actor,
        now=now,
        subject=recruitment.key,
        study_id=recruitment.study_id,
        detail=dict(detail),
    )
