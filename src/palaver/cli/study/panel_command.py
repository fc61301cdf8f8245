"""`palaver panel`: what a panel must be told, and whether a code that somebody sent is theirs."""

from contextlib import closing
from pathlib import Path

import click

from palaver.cli.addresses import base_url
from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.output import table_text
from palaver.core.errors import InputError
from palaver.core.studies.outcomes import WORDS
from palaver.crowds.panels import PANELS, Arrival, Panel
from palaver.storage import Store
from palaver.storage.engine.signing import LASTING, find_key
from palaver.studies.file.definition import Study
from palaver.studies.file.outcomes import possible_outcomes
from palaver.studies.file.reader import load_study
from palaver.studies.home import existing_home
from palaver.studies.run.dues import OutcomeTerms, outcome_of_code, outcome_terms
from palaver.web.settings import Settings


@click.command("panel")
@STUDY_PATH
@click.option("--base", metavar="URL", help="The server's address. Default: PALAVER_PUBLIC_URL.")
@click.option("--code", metavar="CODE", help="Verify a code that somebody sent to the panel.")
@click.option("--worker", metavar="ID", help="For --code: whose it is, as the panel calls them.")
@click.option("--campaign", metavar="ID", default="", help="For --code: the panel's own study.")
@HOME
def command(
    path: Path,
    base: str | None,
    code: str | None,
    worker: str | None,
    campaign: str,
    home: Path | None,
) -> None:
    """Print what the panel of the study at PATH must be told, or verify a code."""
    study = load_study(path)
    panel = study.crowd.panel
    if panel is None:
        known = ", ".join(PANELS.names())
        raise InputError(
            f"People come to '{study.name}' by signed links, not from a panel (palaver link). Panels "
            f"for 'crowd.kind' are {known}."
        )
    if code is not None:
        _verify(study, panel, path, home, code=code, worker=worker, campaign=campaign)
        return
    settings = Settings()
    address = base or settings.public_url or base_url("127.0.0.1", settings.port, "")
    _tell(study, panel, address)


def _tell(study: Study, panel: Panel, base: str) -> None:
    click.echo(f"{panel.title}\n\n  {panel.address(base, study.name)}\n")
    for number, step in enumerate(panel.set_up, start=1):
        click.echo(f"{number}. {step}")
    for line in panel.pay:
        better = "" if line.recommended is None else f", {line.recommended:.2f} is recommended"
        click.echo(f"\nPay: at least {line.minimum:.2f} {line.currency} an hour{better}.", nl=False)
    click.echo("\n")
    possible = possible_outcomes(study)
    rows = [_row(each) for each in outcome_terms(study) if each.outcome in possible]
    click.echo(table_text([("outcome", "who", "pay", "code", "goes back to"), *rows], whole=(0, 3)))


def _row(each: OutcomeTerms) -> tuple[str, str, str, str, str]:
    due = each.owed
    paid = f"{due.amount:.2f} {due.currency}" if due is not None and due.amount else "–"
    return (each.outcome, WORDS[each.outcome], paid, each.code or "–", each.way_back or "–")


def _verify(
    study: Study,
    panel: Panel,
    path: Path,
    home: Path | None,
    *,
    code: str,
    worker: str | None,
    campaign: str,
) -> None:
    if not panel.has_own_codes:
        raise InputError(
            f"Codes for {panel.title} do not follow from the person, so they cannot be verified."
        )
    if not worker:
        raise InputError("A code is verified for somebody: give --worker, and --campaign if known.")
    with closing(Store(existing_home(path, home).database_url, read_only=True)) as store:
        key = store.read_now(lambda c: find_key(c, LASTING))
    sent = Arrival(worker, study=campaign)
    outcome = None if key is None else outcome_of_code(key, study.name, sent, code)
    if outcome is None:
        raise InputError(
            f"'{code[:40]}' is not a code of '{worker[:80]}' in '{study.name}'. Check the ids of "
            "worker and campaign."
        )
    click.echo(f"Valid: '{worker}' {WORDS[outcome]} ({outcome}).")
