"""What the owner of a task decides: who may see it, its terms, its limits, and its teams."""

from dataclasses import dataclass

from sqlalchemy import Connection
from starlette.datastructures import FormData

from palaver.core.errors import InputError
from palaver.core.evaluation.tasks import StoredTask, terms_digest
from palaver.evaluation.submissions import Allowance, allowance
from palaver.evaluation.tasks.policy import hours_error, submissions_error
from palaver.storage.evaluation.submitters import Submitter, list_submitters
from palaver.web.desk.evaluation.pages import TeamRow
from palaver.web.desk.words import plain
from palaver.web.formatting import moment

MOST_NAME = 100
MOST_LINK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A task's policy as a form gives it."""

    public: bool
    terms: str
    most_submissions: int
    submission_hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTeam:
    """A team as a form gives it."""

    team: str
    affiliation: str
    link: str


def read_policy(form: FormData) -> Policy:
    """The policy in a form; InputError where a number is none."""
    return Policy(
        public=form.get("public") == "yes",
        terms=str(form.get("terms", "")),
        most_submissions=_whole(_text(form, "most_submissions")),
        submission_hours=_hours(_text(form, "submission_hours")),
    )


def read_team(form: FormData) -> NewTeam:
    """The team in a form; InputError says what is wrong with it."""
    found = NewTeam(
        team=" ".join(_text(form, "team", most=MOST_NAME).split()),
        affiliation=_text(form, "affiliation", most=MOST_NAME),
        link=_text(form, "link", most=MOST_LINK),
    )
    if not found.team:
        raise InputError("A team needs a name.")
    if found.link and not found.link.startswith(("http://", "https://")):
        raise InputError(f"A link begins with https:// or http://; got '{found.link[:60]}'.")
    return found


def team_rows(connection: Connection, row: StoredTask, *, now: float) -> tuple[TeamRow, ...]:
    """The teams of a task with what they have used of their submissions."""
    return tuple(
        _team(each, allowance(connection, each, row, now=now), row)
        for each in list_submitters(connection, row.id)
    )


def _team(submitter: Submitter, found: Allowance, row: StoredTask) -> TeamRow:
    return TeamRow(
        id=submitter.id,
        team=submitter.team,
        affiliation=submitter.affiliation,
        link=submitter.link,
        terms=_terms(submitter, row),
        used=f"{found.used:,} of {found.most:,}",
        added=moment(submitter.created),
        standing=submitter.revoked is None,
    )


def _terms(submitter: Submitter, row: StoredTask) -> str:
    if not row.terms.strip():
        return "there are none"
    if submitter.terms_digest is None:
        return "not accepted yet"
    is_current = submitter.terms_digest == terms_digest(row.terms)
    return "accepted" if is_current else "an earlier wording accepted"


def _whole(given: str) -> int:
    try:
        return int(given)
    except ValueError:
        raise submissions_error(given) from None


def _hours(given: str) -> float:
    try:
        return float(given.replace(",", "."))
    except ValueError:
        raise hours_error(given) from None


def _text(form: FormData, name: str, *, most: int = 200) -> str:
    return plain(str(form.get(name, "")), most=most)
