"""`palaver crowd`: what is offered at a panel, and what is done with a recruitment as a whole."""

import click

from palaver.cli.output import print_json, sheet_lines, table_text
from palaver.cli.study.crowd_home import (
    ACTOR,
    BASE,
    Asked,
    CrowdHome,
    crowd_command,
    money,
)
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.words import counted, duration, shortened
from palaver.crowds.prolific.records import FilterEntry, TestRun
from palaver.studies.recruiting.money.wages import WageMeter
from palaver.studies.recruiting.offering.filters import (
    EligiblePeople,
    FilterList,
    can_be_chosen,
    count_eligible,
    filters_of,
    find_filters,
)
from palaver.studies.recruiting.offering.offers import Offer, make_offer
from palaver.studies.recruiting.offering.trials import try_out
from palaver.studies.recruiting.overview import (
    RecruitmentList,
    RecruitmentSheet,
    read_recruitments,
    read_sheet,
    spent_words,
)
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.moves import DONE, Move, foreseen, make_move
from palaver.studies.recruiting.submissions.hooks import HookState, read_hooks, set_up_hooks

PLACES = click.option(
    "--places", type=int, metavar="N", help="How many places. Default: as the file says."
)


@crowd_command("offer", PLACES, BASE, recruitment=False)
def offer(asked: Asked, places: int | None, base: str | None) -> None:
    """Show what would be offered for the study at PATH, and what it costs; nothing is made."""

    async def work(at: CrowdHome) -> Offer:
        return await make_offer(at.deployment, at.study, base=at.base(base), places=places)

    found = asked.at_study(work)
    if asked.as_json:
        print_json(found)
    else:
        click.echo("\n".join(_of_offer(found)))
    if found.problems:
        raise click.exceptions.Exit(1)


@crowd_command("create", PLACES, BASE, recruitment=False, asks=True)
def create(asked: Asked, places: int | None, base: str | None) -> None:
    """Create a draft at the panel for the study at PATH; nobody sees it before it is published."""

    async def work(at: CrowdHome) -> Recruitment:
        where = at.base(base)
        seen = await make_offer(at.deployment, at.study, base=where, places=places)
        if seen.problems or seen.cost is None:
            raise InputError(" ".join(seen.problems) or "The panel did not say what this costs.")
        if not asked.as_json:
            click.echo("\n".join(_of_offer(seen)))
        asked.ask_first("Create this draft?")
        return await recruit.create(
            at.deployment,
            at.study.name,
            base=where,
            actor=ACTOR,
            places=seen.places,
            cost=seen.cost,
        )

    made = asked.at_study(work)
    _say_done(made, "The draft is created. Publish it with 'palaver crowd publish'.", asked.as_json)


def _mover(move: Move, words: str) -> click.Command:
    """The command that makes a move."""

    @crowd_command(move, asks=True, words=words)
    def command(asked: Asked) -> None:
        async def work(at: CrowdHome) -> Recruitment:
            mine = await at.recruitment()
            if move in ("publish", "resume", "stop", "delete"):
                asked.ask_first(f"{foreseen(move, mine)} Go on?")
            return await make_move(at.deployment, mine, move, actor=ACTOR)

        _say_done(asked.at_study(work), DONE[move], asked.as_json)

    return command


publish = _mover("publish", "Publish the draft of the study at PATH: people may come.")
pause = _mover("pause", "Let nobody new take a place; people who have one go on.")
resume = _mover("resume", "Let people take places again.")
stop = _mover("stop", "End recruiting; submissions are still decided on.")
delete = _mover("delete", "Delete the draft at the panel.")
read = _mover("read", "Read the panel's whole list now.")
find = _mover("find", "Look at the panel for a draft of which no answer came.")


@crowd_command("places", click.argument("number", type=int), asks=True)
def places(asked: Asked, number: int) -> None:
    """Offer NUMBER places in all; a published study takes no fewer than it has."""

    async def work(at: CrowdHome) -> Recruitment:
        mine = await at.recruitment()
        cost = Money(mine.place_cost, mine.currency) * max(0, number)
        asked.ask_first(f"Offer {number:,} places in all, which may cost {cost} with fees?")
        return await recruit.set_places(at.deployment, mine, number, actor=ACTOR)

    _say_done(asked.at_study(work), "The number of places is changed.", asked.as_json)


@crowd_command(
    "try",
    click.option(
        "--email", default="", metavar="ADDRESS", help="Make a test participant of it first."
    ),
)
def try_(asked: Asked, email: str) -> None:
    """Open the draft to test participants: the whole way, with nobody recruited."""

    async def work(at: CrowdHome) -> TestRun:
        mine = await at.recruitment()
        return await try_out(at.deployment, mine, actor=ACTOR, email=email)

    found = asked.at_study(work)
    if asked.as_json:
        print_json(found)
    else:
        click.echo(f"Open to test participants: {found.address or found.study}")


@crowd_command("list", recruitment=False)
def list_(asked: Asked) -> None:
    """List the recruitments of the study at PATH, oldest first."""

    async def work(at: CrowdHome) -> RecruitmentList:
        return await at.deployment.store.read(lambda c: read_recruitments(c, at.study.id))

    found = asked.at_study(work)
    if asked.as_json:
        print_json(found)
        return
    if not found.recruitments:
        click.echo("Nobody is recruited yet.")
        return
    rows = [("recruitment", "title", "state", "taken", "places", "reward", "held")]
    rows += [
        (
            each.key,
            each.title,
            each.state.replace("_", " "),
            str(each.taken),
            str(each.places),
            money(each.reward, each.currency),
            each.held_words or "",
        )
        for each in found.recruitments
    ]
    click.echo(table_text(rows))


@crowd_command("show")
def show(asked: Asked) -> None:
    """Show how recruiting for the study at PATH stands, what it cost, and what an hour pays."""

    async def work(at: CrowdHome) -> RecruitmentSheet:
        mine, definition, now = await at.recruitment(), at.study.definition, at.now
        return await at.deployment.store.read(lambda c: read_sheet(c, mine, definition, now=now))

    sheet = asked.at_study(work)
    if asked.as_json:
        print_json(sheet)
        return
    click.echo(sheet.words)
    states = ", ".join(f"{n:,} {state.replace('_', ' ')}" for state, n in sheet.states.items())
    told = {
        "held": sheet.held_words,
        "trouble": sheet.recruitment.trouble,
        "submissions": states,
        "does not fit": str(sheet.mismatches) if sheet.mismatches else "",
        "cost": spent_words(sheet),
        "an hour pays": sheet.meter.words,
        "people took": _took(sheet.meter),
        "due on top": money(sheet.due, sheet.recruitment.currency) if sheet.due else "",
        "unknown orders": str(sheet.unknown_orders) if sheet.unknown_orders else "",
    }
    click.echo("\n".join(sheet_lines({name: words for name, words in told.items() if words})))


@crowd_command(
    "hooks",
    click.option(
        "--set-up", "sets_up", is_flag=True, help="Have the panel tell the server from now on."
    ),
    BASE,
    recruitment=False,
    asks=True,
)
def hooks(asked: Asked, sets_up: bool, base: str | None) -> None:
    """Show whether the panel tells the server of the study at PATH what happens, or have it do so."""

    async def work(at: CrowdHome) -> HookState:
        where = at.base(base)
        if not sets_up:
            return await read_hooks(at.deployment, base=where)
        question = (
            f"Have the panel call {where}? Where no secret is set here a new one is made, which ends "
            "what older ones of the workspace signed."
        )
        asked.ask_first(question)
        return await set_up_hooks(at.deployment, base=where, actor=ACTOR)

    state = asked.at_study(work)
    if asked.as_json:
        print_json(state)
        return
    told = {
        "calls": state.address,
        "secret": "set" if state.has_secret else "not set",
        "tells of": ", ".join(state.subscribed) or "nothing",
        "does not tell of": ", ".join(state.missing),
    }
    click.echo(
        "\n".join(sheet_lines({name: words for name, words in told.items() if words}, indent=""))
    )


@crowd_command(
    "filters",
    click.argument("search", required=False, default=""),
    click.option(
        "--count", "counts", is_flag=True, help="Count the people who pass those of the study file."
    ),
    recruitment=False,
)
def filters(asked: Asked, search: str, counts: bool) -> None:
    """List the panel's filters, or those with all words of SEARCH, for 'recruit' in the study file."""

    async def work(at: CrowdHome) -> tuple[FilterList, EligiblePeople | None]:
        found = await find_filters(at.deployment, search)
        if not counts:
            return found, None
        return found, await count_eligible(at.deployment, filters_of(at.study.definition))

    found, eligible = asked.at_study(work)
    if asked.as_json:
        print_json({"filters": found.filters} | ({"eligible": eligible} if eligible else {}))
        return
    if eligible is not None:
        click.echo(f"The study file's filters let through {eligible.words}.\n")
    if not found.filters:
        click.echo("No filter has these words.")
        return
    rows = [
        ("filter", "title", "takes"),
        *((f.filter_id, f.title, _takes(f)) for f in found.filters),
    ]
    click.echo(table_text(rows))


def _took(meter: WageMeter) -> str:
    """The median of people's times with its interval."""
    took = meter.seconds
    if not took.is_defined:
        return ""
    told = f"{duration(took.value)} at the median of {counted(took.n, 'person', 'people')}"
    if took.interval is None:
        return f"{told}; no interval, because {took.reason}"
    low, high = duration(took.interval.low), duration(took.interval.high)
    return f"{told} ({low} to {high}, 95 %)"


def _takes(entry: FilterEntry) -> str:
    if entry.choices:
        return shortened(", ".join(entry.choices.values()), 200)
    if not can_be_chosen(entry):
        return "ids: see 'never_twice' and 'without_groups'"
    low, high = entry.lower, entry.upper
    return f"from {'…' if low is None else f'{low:g}'} to {'…' if high is None else f'{high:g}'}"


def _of_offer(seen: Offer) -> list[str]:
    currency = seen.currency
    told = {
        "title": seen.title,
        "address": seen.address,
        "places": f"{seen.places:,}",
        "pay": f"{money(seen.reward, currency)} for {seen.minutes or '?'} minutes",
        "an hour pays": seen.meter.words,
        "devices": ", ".join(seen.devices),
        "eligible": "" if seen.eligible is None else f"{seen.eligible:,}",
        "cost with fees": money(seen.cost, currency),
        "at most": money(seen.most, currency),
        "budget left": "" if seen.budget.left is None else money(seen.budget.left, currency),
    }
    lines = list(sheet_lines({name: words for name, words in told.items() if words}, indent=""))
    return [*lines, *(f"Problem: {each}" for each in seen.problems)]


def _say_done(recruitment: Recruitment, words: str, as_json: bool) -> None:
    if as_json:
        print_json(recruitment)
    else:
        click.echo(f"{words} ({recruitment.key}: {recruitment.state.replace('_', ' ')})")


COMMANDS = (
    *(offer, create, publish, pause, resume, stop, places, delete, try_),
    *(list_, show, read, find, hooks, filters),
)
