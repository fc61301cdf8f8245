"""What must hold before a recruitment is created, moved or enlarged: each check refuses in words."""

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.words import counted
from palaver.crowds.prolific.records import PanelStudy
from palaver.studies.recruiting.money.budget import check_currency
from palaver.studies.recruiting.offering.offers import Offer
from palaver.studies.recruiting.places.standing import GONE
from palaver.studies.run.deployment import Deployment

MOST_PLACES = 100_000


def check_offer(offer: Offer, cost: int | None) -> None:
    """InputError with all that is wrong, or if it costs another sum than was agreed on."""
    if offer.problems or offer.draft is None or offer.cost is None:
        raise InputError(" ".join(offer.problems) or "The panel did not say what this costs.")
    if cost is not None and offer.cost != cost:
        raise InputError(
            f"It costs {Money(offer.cost, offer.currency)} by now, and "
            f"{Money(cost, offer.currency)} was agreed on. Nothing was created. Look at it again."
        )


def check_known(recruitment: Recruitment) -> None:
    """InputError if the panel is not known to have it."""
    if recruitment.state == "missing":
        raise InputError(GONE)
    if recruitment.panel_id is None:
        raise InputError(
            "No answer came when this was created. Look at the panel first, or have it looked for "
            "there: 'palaver crowd find'."
        )


def check_published(recruitment: Recruitment) -> None:
    """InputError if nobody sees it yet."""
    check_known(recruitment)
    if recruitment.published is None:
        raise InputError("It is a draft that nobody sees. Publish it first.")


def check_places(
    deployment: Deployment, recruitment: Recruitment, places: int, there: PanelStudy
) -> None:
    """InputError if there may not be so many places."""
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


def check_same(deployment: Deployment, recruitment: Recruitment, there: PanelStudy) -> None:
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


def check_open(deployment: Deployment, recruitment: Recruitment) -> None:
    """InputError if the study's own rule has stopped it."""
    running = deployment.studies.get(recruitment.study)
    if running is not None and running.stopped.is_set():
        raise InputError(
            "The study's own rule has stopped it: whoever came would find it closed. Nothing was "
            "changed."
        )
