"""What the owner of a task decides: who may see it, its terms, and its limits."""

from dataclasses import dataclass

from starlette.datastructures import FormData

from palaver.evaluation.tasks.policy import hours_error, submissions_error
from palaver.web.desk.words import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A task's policy as a form gives it."""

    public: bool
    terms: str
    most_submissions: int
    submission_hours: float


def read_policy(form: FormData) -> Policy:
    """The policy in a form; InputError where a number is none."""
    return Policy(
        public=form.get("public") == "yes",
        terms=str(form.get("terms", "")),
        most_submissions=_whole(_text(form, "most_submissions")),
        submission_hours=_hours(_text(form, "submission_hours")),
    )


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
