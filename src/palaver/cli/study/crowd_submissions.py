"""`palaver crowd`: submissions, what does not fit, decisions on them, and messages."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from palaver.cli.output import print_json, table_text
from palaver.cli.study.crowd_home import (
    ACTOR,
    Asked,
    CrowdHome,
    crowd_command,
    pieces_of,
)
from palaver.core.errors import InputError
from palaver.core.money import read_money
from palaver.core.recruiting.submissions import Decision
from palaver.core.studies.outcomes import WORDS
from palaver.core.words import counted
from palaver.crowds.prolific.records import CATEGORY_WORDS
from palaver.studies.recruiting.books import read_suggestions
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import (
    Ruled,
    Ruling,
    check_ruling,
    rule,
    write_to_submissions,
)
from palaver.studies.recruiting.submissions.foreseen import RETURN_REASON, VERBS, foreseen_decision
from palaver.studies.recruiting.submissions.reconciliation import Reconciliation, ReconciliationRow
from palaver.studies.recruiting.submissions.suggestions import SuggestionList

READ = click.option("--read", "reads", is_flag=True, help="Read the panel's list first.")
WHO = click.argument("who", nargs=-1)
SUGGESTED = click.option(
    "--suggested", is_flag=True, help="All of whom this is suggested, in place of naming them."
)


async def _reconciled(at: CrowdHome, *, reads: bool) -> Reconciliation:
    if reads:
        await news.read_all(at.deployment, await at.recruitment())
    return await at.reconciled(await at.recruitment())


@crowd_command("submissions", READ)
def submissions(asked: Asked, reads: bool) -> None:
    """List every visit to the study at PATH beside its submission, and what does not fit."""

    async def work(at: CrowdHome) -> tuple[Reconciliation, SuggestionList]:
        found = await _reconciled(at, reads=reads)
        mine, definition, now = await at.recruitment(), at.study.definition, at.now
        told = await at.deployment.store.read(
            lambda c: read_suggestions(c, mine, definition, now=now)
        )
        return found, SuggestionList(suggestions=told)

    found, told = asked.at_study(work)
    if asked.as_json:
        print_json(found)
        return
    if not found.rows:
        click.echo("Nobody has come from the panel yet.")
        return
    suggested = {each.submission.id: each.suggested for each in told.suggestions}
    head = ("person", "submission", "here", "there", "suggested", "does not fit")
    click.echo(table_text([head, *(_row(each, suggested) for each in found.rows)], whole=(1,)))


@crowd_command("check", READ)
def check(asked: Asked, reads: bool) -> None:
    """Say what does not fit between here and the panel, and what to do; fails if anything does."""

    async def work(at: CrowdHome) -> Reconciliation:
        return await _reconciled(at, reads=reads)

    found = asked.at_study(work)
    if asked.as_json:
        print_json({"mismatches": found.mismatches, "checked": found.checked})
    elif not found.mismatches:
        click.echo("Everything fits.")
    else:
        for each in found.mismatches:
            who = each.visit.name if each.visit is not None else "nobody here"
            piece = "" if each.submission is None else f", {each.submission.panel_id or 'erased'}"
            click.echo(f"{who}{piece}: {each.words}\n  {each.advice}")
    if found.mismatches:
        raise click.exceptions.Exit(1)


def _decide(
    asked: Asked,
    decision: Decision,
    who: Sequence[str],
    *,
    suggested: bool = False,
    amount: str | None = None,
    percent: int | None = None,
    **told: Any,
) -> None:
    """Decide on some submissions, asking first, and say what became of it."""

    async def work(at: CrowdHome) -> Ruled:
        mine, definition, now = await at.recruitment(), at.study.definition, at.now
        if suggested:
            found = await at.deployment.store.read(
                lambda c: read_suggestions(c, mine, definition, now=now)
            )
            pieces = [
                each.submission.panel_id
                for each in found
                if each.suggested == decision and each.submission.panel_id
            ]
        else:
            pieces = pieces_of(who, await at.reconciled(mine))
        pay = None if amount is None else read_money(amount, mine.currency).minor
        ruling = Ruling(
            decision=decision, submissions=tuple(pieces), pay=pay, percent=percent, **told
        )
        check_ruling(ruling, mine)
        foreseen = foreseen_decision(decision, len(pieces), mine, percent=percent)
        asked.ask_first(f"{foreseen} Go on?")
        return await rule(at.deployment, mine, ruling, actor=ACTOR)

    done = asked.at_study(work)
    if asked.as_json:
        print_json(done)
    else:
        click.echo(done.words)
    if done.refused or done.unknown:
        raise click.exceptions.Exit(1)


@crowd_command("approve", WHO, SUGGESTED, asks=True)
def approve(asked: Asked, who: tuple[str, ...], suggested: bool) -> None:
    """Approve the submissions of WHO (a panel's id, or a name such as P07): they are paid."""
    _decide(asked, "approve", who, suggested=suggested)


@crowd_command(
    "pay-part",
    WHO,
    click.option(
        "--percent", type=int, required=True, metavar="N", help="How much of the reward: 8 to 99."
    ),
    click.option("--message", default="", metavar="TEXT", help="What they read with it."),
    asks=True,
)
def pay_part(asked: Asked, who: tuple[str, ...], percent: int, message: str) -> None:
    """Pay a part of the reward to WHO, who have not handed in and are handed in from here."""
    _decide(asked, "pay_part", who, percent=percent, message=message)


@crowd_command(
    "reject",
    WHO,
    click.option(
        "--message", required=True, metavar="TEXT", help="What they read: 100 characters or more."
    ),
    click.option(
        "--category",
        required=True,
        type=click.Choice(tuple(CATEGORY_WORDS), case_sensitive=False),
        help="The cause, in the panel's words.",
    ),
    asks=True,
)
def reject(asked: Asked, who: tuple[str, ...], message: str, category: str) -> None:
    """Reject the submissions of WHO: not paid, and it hurts their standing at the panel."""
    _decide(asked, "reject", who, message=message, category=category)


@crowd_command(
    "ask-return",
    WHO,
    click.option(
        "--reason",
        default=RETURN_REASON,
        metavar="TEXT",
        help="What they read. Default: a friendly sentence.",
    ),
    SUGGESTED,
    asks=True,
)
def ask_return(asked: Asked, who: tuple[str, ...], reason: str, suggested: bool) -> None:
    """Ask the people of WHO to return their place; nothing is paid, and nobody's standing is hurt."""
    _decide(asked, "ask_return", who, suggested=suggested, reason=reason)


@crowd_command(
    "screen-out",
    WHO,
    click.option(
        "--pay",
        "amount",
        required=True,
        metavar="AMOUNT",
        help="What each gets, such as 0.50, in the study's currency.",
    ),
    SUGGESTED,
    asks=True,
)
def screen_out(asked: Asked, who: tuple[str, ...], amount: str, suggested: bool) -> None:
    """Screen the people of WHO out and pay them a part; their places go to others."""
    _decide(asked, "screen_out", who, suggested=suggested, amount=amount)


@crowd_command("complete", WHO, asks=True)
def complete(asked: Asked, who: tuple[str, ...]) -> None:
    """Hand in the submissions of WHO from here, as if they had come back with a code."""
    _decide(asked, "complete", who)


@crowd_command("take-back", WHO, asks=True)
def take_back(asked: Asked, who: tuple[str, ...]) -> None:
    """Take the rejection of WHO back: they wait for a decision again."""
    _decide(asked, "take_back", who)


@crowd_command(
    "message",
    WHO,
    click.option("--text", metavar="TEXT", help="What they read. Default: standard input."),
    click.option(
        "--everybody", is_flag=True, help="Write to all who took part, in place of naming them."
    ),
    asks=True,
)
def message(asked: Asked, who: tuple[str, ...], text: str | None, everybody: bool) -> None:
    """Write to WHO through the panel."""
    if everybody == bool(who):
        raise click.UsageError("Name people, or say --everybody.")
    body = sys.stdin.read() if text is None else text
    if not body.strip():
        raise InputError("The message is empty. Nothing was sent.")

    async def work(at: CrowdHome) -> int:
        mine = await at.recruitment()
        pieces = None if everybody else pieces_of(who, await at.reconciled(mine))
        whom = (
            "everybody who took part"
            if pieces is None
            else counted(len(pieces), "person", "people")
        )
        asked.ask_first(f"Write this to {whom}?")
        return await write_to_submissions(at.deployment, mine, pieces, body, actor=ACTOR)

    sent = asked.at_study(work)
    if asked.as_json:
        print_json({"people": sent})
    else:
        click.echo(f"The message went to {counted(sent, 'person', 'people')}.")


def _row(row: ReconciliationRow, suggested: Mapping[int, str]) -> tuple[str, ...]:
    visit, known = row.visit, row.submission
    here = "–" if visit is None else "under way" if visit.outcome is None else WORDS[visit.outcome]
    verbs: dict[str, str] = {str(name): verb.lower() for name, verb in VERBS.items()}
    advised = "" if known is None else suggested.get(known.id, "")
    return (
        "–" if visit is None else visit.name,
        "–" if known is None else known.panel_id or "erased",
        here,
        "–" if known is None else known.state.replace("_", " "),
        {"look": "look closer"}.get(advised, verbs.get(advised, "")),
        " ".join(each.words for each in row.mismatches),
    )


COMMANDS = (
    *(submissions, check, approve, pay_part, reject, ask_return, screen_out, complete),
    *(take_back, message),
)
