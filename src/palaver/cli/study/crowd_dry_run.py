"""`palaver crowd dry-run`: recruiting tried at a stand-in, with simulated people, for no money."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import JSON, STUDY_PATH
from palaver.cli.output import print_json, table_text
from palaver.cli.study.crowd_home import money
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.words import counted
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_studies
from palaver.studies.recruiting.dry_run.run import MOST_PEOPLE, DryRun, dry_run
from palaver.web.stand_in import serve_beside

DECISIONS = {
    "approve": "approved",
    "ask_return": "asked to return",
    "screen_out": "screened out with pay",
    "refused": "refused by the panel",
}


@click.command("dry-run")
@STUDY_PATH
@options.study("One study of several.")
@click.option(
    "--people",
    type=click.IntRange(1, MOST_PEOPLE),
    default=10,
    show_default=True,
    metavar="N",
    help="How many are to complete it; one more comes for each other outcome.",
)
@options.seed("The same seed gives the same people.")
@JSON
def command(path: Path, study: str | None, people: int, seed: int, as_json: bool) -> None:
    """Try recruiting for the study at PATH at a stand-in of Prolific: nothing is spent or sent.

    Exit status 1 if something did not fit in the end between the study and the panel.
    """
    found = asyncio.run(dry_run(_chosen(path, study), people=people, seed=seed, serve=serve_beside))
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(_told(found)))
    if not found.is_clean:
        raise SystemExit(1)


def _chosen(path: Path, name: str | None) -> Study:
    known = {each.name: each for each in load_studies(path)}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None:
        raise InputError(f"There are several studies at {path}: name one with --study.")
    if name not in known:
        raise InputError(f"There is no study '{name}' here.{near(name, known)}")
    return known[name]


def _told(run: DryRun) -> Iterator[str]:
    offer, currency = run.offer, run.costs.currency
    yield f"A dry run of '{run.study}' at a stand-in of Prolific. Nothing was spent or sent."
    yield ""
    yield (
        f"Created: '{offer.title}', {counted(offer.places, 'place')} at "
        f"{money(offer.reward, currency)} for {counted(offer.minutes or 0, 'minute')}; that would "
        f"cost {money(offer.cost, currency)} with fees, {money(offer.most, currency)} at most."
    )
    yield ""
    head = ("After", "panel says", "places", "taken", "here")
    yield table_text(
        [
            head,
            *(
                (m.after, m.state.replace("_", " "), f"{m.places:,}", f"{m.taken:,}", m.goals)
                for m in run.moments
            ),
        ],
        names=2,
    )
    yield ""
    yield f"{counted(run.people, 'person', 'people')} came. Who"
    yield table_text(
        [
            ("outcome", "people", "tried by", "code", "what it did", "there in the end"),
            *(
                (
                    each.words,
                    str(each.people),
                    "a whole visit" if each.walked else "ending a visit so",
                    each.code or "–",
                    each.action,
                    ", ".join(f"{n} {state}" for state, n in each.there.items()),
                )
                for each in run.outcomes
            ),
        ],
        names=1,
    )
    yield ""
    yield _decided(run)
    yield (
        f"Bonuses due by the study's rules: {money(run.payments.due, currency)}, paid in "
        f"{counted(run.payments.orders, 'order')}: {money(run.payments.paid, currency)}."
    )
    total, fees = money(run.costs.total, currency), money(run.costs.fees, currency)
    yield f"It would have cost {total}, {fees} of it fees."
    for meter in run.costs.meters:
        yield f"With simulated times: {meter.words}"
    yield ""
    if run.mismatches:
        yield f"{counted(len(run.mismatches), 'thing')} did not fit between here and there:"
        yield from (f"  {each.words} {each.advice}" for each in run.mismatches)
    else:
        yield "Everybody fits here and there."
    yield from (f"Note: {note}" for note in run.notes)


def _decided(run: DryRun) -> str:
    done = ", ".join(
        f"{each.submissions} {DECISIONS.get(each.decision, each.decision)}" for each in run.decided
    )
    left = f"; {run.left} left for a person to look at" if run.left else ""
    return f"Decided as suggested: {done or 'nothing'}{left}."
