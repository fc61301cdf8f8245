"""What a panel would be asked for, and what it would cost, before anybody is asked.

An offer is made of the study file alone: pay, minutes, codes, what `recruit` says. The panel's
calculator says what it costs, its catalogue whether the filters are there. Nothing is created here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from palaver.core.errors import InputError, PanelError
from palaver.core.money import Money, read_money
from palaver.core.serial import if_any, internal
from palaver.core.studies.outcomes import OUTCOMES
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.bodies import StudyDraft, draft_of
from palaver.crowds.prolific.checks import problems_of
from palaver.storage.recruiting.recruitments import list_recruitments
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import Budget, check_currency, read_budget
from palaver.studies.recruiting.money.wages import WageMeter, wage_meter
from palaver.studies.recruiting.offering.codes import (
    codes_of,
    completion_codes,
    screen_out_pay,
    screens_out,
)
from palaver.studies.recruiting.offering.filters import chosen_filters
from palaver.studies.recruiting.offering.need import read_need
from palaver.studies.run.deployment import Deployment, RunningStudy

if TYPE_CHECKING:
    from palaver.crowds.prolific.client import Prolific

# How many places there are where nothing says how many are needed.
PLACES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A study as a panel would have it, and what that costs; amounts in the smallest unit.

    `cost` is for all places with the panel's fees; `most` adds what people may be paid who are screened
    out, and is what the budget must hold. `problems` say why it cannot be created.
    """

    derived: ClassVar[tuple[str, ...]] = ("can_be_created",)

    panel: str
    title: str
    description: str
    address: str
    places: int
    minutes: int | None
    reward: int
    currency: str
    devices: tuple[str, ...]
    codes: Mapping[str, str] = internal(factory=dict)
    cost: int | None = None
    most: int | None = None
    place_cost: int | None = None
    # The panel's fee on one reward.
    fee: int = 0
    # Whether places will follow the quotas: not where fewer were asked for than these need.
    grows: bool = True
    eligible: int | None = if_any(None)
    # What the panel's account has left.
    available: int | None = if_any(None)
    meter: WageMeter
    budget: Budget
    problems: tuple[str, ...] = if_any(())
    draft: StudyDraft | None = internal(None)

    @property
    def can_be_created(self) -> bool:
        return not self.problems


async def make_offer(
    deployment: Deployment, study: RunningStudy, *, base: str, places: int | None = None
) -> Offer:
    """What would be created at the panel for a study that is reached at `base`.

    InputError where the study pays nothing or names another panel; whatever else is wrong is told.
    """
    definition = study.definition
    check_panel(definition)
    clients = PanelClients.of(deployment)
    need = await deployment.store.read(lambda c: read_need(c, study))
    budget = await deployment.store.read(lambda c: read_budget(c, study.id, definition))
    wanted = _places(definition, places, need.free)
    reward = reward_of(definition)
    plain = _offer(definition, wanted, reward, base=base, budget=budget)
    plain = replace(plain, grows=may_grow(definition) and wanted >= (need.free or 0))
    problems: list[str] = list(plain.problems)
    try:
        client = await clients.prolific()
        account = await client.account.me()
        if account.currency:
            check_currency(definition, account.currency)
        draft = await _draft(deployment, client, definition, plain)
        problems += problems_of(draft)
        known = await client.studies.cost(reward, wanted)
        eligible = await client.people.eligible(draft.filters) if draft.filters else None
    except (InputError, PanelError) as error:
        return replace(plain, problems=(*problems, str(error)))
    fee = max(0, -(-known.total.minor // wanted) - reward.minor)
    extra = _screened_out(definition, wanted)
    most = known.total.minor + extra + -(-extra * fee // reward.minor)
    return replace(
        plain,
        draft=draft,
        cost=known.total.minor,
        most=most,
        place_cost=-(-most // wanted),
        fee=fee,
        eligible=eligible,
        available=None if account.available is None else account.available.minor,
        problems=tuple(problems),
    )


def may_grow(study: Study) -> bool:
    """Whether places may follow the quotas: only where an owner said how many or how much at most.

    Quotas are changed by people who may not spend.
    """
    has_most = study.recruit is not None and study.recruit.most_places is not None
    return has_most or (study.pay is not None and study.pay.budget is not None)


def check_panel(study: Study) -> None:
    """InputError unless people of this study come from a panel that Palaver talks to."""
    if study.crowd.kind != PROLIFIC.name:
        raise InputError(
            f"People of this study come by '{study.crowd.kind}', and only Prolific is reached from "
            "here. Say 'crowd: {kind: prolific}' in the study file; other panels work by their "
            "address (see docs/panels.md)."
        )


def reward_of(study: Study) -> Money:
    """What each person is paid who completes; InputError where the study says nothing of it."""
    if study.pay is None or not study.pay.amount:
        raise InputError(
            "The study does not say what it pays. Add 'pay: {amount: 1.50, currency: GBP}' to its "
            "file."
        )
    return read_money(study.pay.amount, study.pay.currency)


def _places(study: Study, given: int | None, free: int | None) -> int:
    terms = study.recruit
    if given is not None:
        return given
    if terms is not None and terms.places is not None:
        return terms.places
    needed = PLACES if free is None else max(1, free)
    most = None if terms is None else terms.most_places
    return needed if most is None else min(needed, most)


def _offer(study: Study, places: int, reward: Money, *, base: str, budget: Budget) -> Offer:
    terms = study.recruit
    minutes = study.minutes_in_all
    told = terms.description if terms is not None else None
    problems = []
    if minutes is None:
        problems.append("The study does not say how long it takes. Add 'minutes: 15' to its file.")
    if not told:
        problems.append(
            "The study does not say what people read at the panel. Add 'recruit: {description: …}' "
            "to its file."
        )
    most = None if terms is None else terms.most_places
    if most is not None and places > most:
        problems.append(f"{places:,} places are more than 'most_places', which is {most:,}.")
    return Offer(
        panel=PROLIFIC.name,
        title=(terms.title if terms and terms.title else study.title),
        description=told or "",
        address=PROLIFIC.address(base, study.name),
        places=places,
        minutes=minutes,
        reward=reward.minor,
        currency=reward.currency,
        devices=tuple(terms.devices) if terms else ("desktop", "tablet", "mobile"),
        codes=codes_of(study),
        meter=wage_meter(reward=reward, minutes=minutes, times=(), lines=PROLIFIC.pay),
        budget=budget,
        problems=tuple(problems),
    )


async def _draft(
    deployment: Deployment, client: "Prolific", study: Study, offer: Offer
) -> StudyDraft:
    terms = study.recruit
    wanted = terms.filters if terms is not None else {}
    filters = chosen_filters(wanted, await client.people.filters()) if wanted else ()
    codes = completion_codes(study, offer.codes, places=offer.places)
    return draft_of(
        title=offer.title,
        internal_name=study.name,
        description=offer.description,
        address=offer.address,
        reward=Money(offer.reward, offer.currency),
        minutes=offer.minutes or 0,
        places=offer.places,
        codes=codes,
        most_minutes=terms.maximum_minutes if terms is not None else None,
        devices=offer.devices,
        peripherals=tuple(terms.needs) if terms is not None else (),
        filters=filters,
        never_groups=terms.without_groups if terms is not None else (),
        never_studies=await _earlier(deployment, terms.never_twice if terms else ()),
        project=(terms.project or "") if terms is not None else "",
        is_screening=screens_out(study),
    )


async def _earlier(deployment: Deployment, names: Sequence[str]) -> tuple[str, ...]:
    """The panel's ids of what other studies here recruited; InputError where one is not known."""
    if not names:
        return ()
    known = await deployment.store.read(list_recruitments)
    for name in names:
        if name not in deployment.studies:
            deployment.study(name)  # says which names are near
    return tuple(
        each.panel_id
        for each in known
        if each.study in names and each.panel_id is not None and not each.is_trial
    )


def _screened_out(study: Study, places: int) -> int:
    """What may be paid at most to people who are screened out, without fees."""
    return sum(screen_out_pay(study, outcome) * places for outcome in OUTCOMES)
