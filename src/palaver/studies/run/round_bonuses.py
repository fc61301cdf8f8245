"""What the people of a round are owed beside their pay, in the currency of its study."""

import csv
import io
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.errors import StudyError
from palaver.core.evaluation.bonuses import Bonus, RoundBonuses
from palaver.core.evaluation.rounds import Round
from palaver.core.words import counted
from palaver.evaluation.rounds.bonuses import bonuses, earned_in
from palaver.evaluation.rounds.examples import read_written
from palaver.formats.marked_yaml import parse_marked
from palaver.formats.spreadsheets import escaped
from palaver.storage.people.participants import panel_names
from palaver.storage.studies.studies import list_studies

HEADINGS = ("participant", "panel_id", "amount", "currency", "verified", "fooling", "judged")


def round_bonuses(connection: Connection, round_: Round, *, ids: bool = False) -> RoundBonuses:
    """The bonuses of a round as it stands, or as it was closed; with `ids`, what panels call people."""
    earned = None if round_.result is None else round_.result.earned
    waiting = 0
    if earned is None:
        written = read_written(connection, round_)
        earned = earned_in(written.examples, round_.terms, judged_before=written.judged_before)
        waiting = sum(each.is_fooling and each.standing == "waiting" for each in written.examples)
    currency = _currency(connection, round_)
    found = bonuses(earned, round_.terms, currency=currency)
    if ids:
        names = panel_names(connection, [each.person for each in found])
        found = tuple(replace(each, panel_id=names.get(each.person, "")) for each in found)
    return RoundBonuses(
        task=round_.task,
        round=round_.number,
        currency=currency,
        rules=dict(round_.terms.bonus),
        bonuses=found,
        waiting=waiting,
        notes=tuple(_notes(round_, currency, waiting)),
    )


def bonuses_csv(found: RoundBonuses) -> str:
    """The bonuses as a table, one line per person."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADINGS)
    writer.writerows([*map(escaped, _cells(each))] for each in found.bonuses)
    return stream.getvalue()


def _cells(bonus: Bonus) -> list[str]:
    counts = {part.rule: str(part.n) for part in bonus.parts}
    rules = (counts.get(rule, "0") for rule in ("verified", "fooling", "judged"))
    return [bonus.person, bonus.panel_id, bonus.amount, bonus.currency, *rules]


def _currency(connection: Connection, round_: Round) -> str:
    """The currency of the study's pay; empty where it says nothing of pay."""
    stored = {each.id: each for each in list_studies(connection)}
    try:
        data = parse_marked(stored[round_.study_id].definition.encode(), file="study.yaml").data
    except StudyError:
        return ""
    pay = data.get("pay") if isinstance(data, dict) else None
    return str(pay.get("currency") or "") if isinstance(pay, dict) else ""


def _notes(round_: Round, currency: str, waiting: int) -> list[str]:
    notes = []
    if not round_.terms.bonus:
        notes.append(f"Round {round_.number} of '{round_.task}' was opened without a bonus.")
    elif not currency:
        notes.append(
            "The study names no currency: say 'pay: {amount: …, currency: …}' in its file."
        )
    if round_.terms.bonus.get("verified") and waiting:
        verb = "waits" if waiting == 1 else "wait"
        notes.append(f"{counted(waiting, 'example')} still {verb} for judgements.")
    return notes
