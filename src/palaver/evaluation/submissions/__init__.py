"""Models from outside: a team with a token brings an endpoint or predictions."""

from palaver.evaluation.submissions.allowances import (
    Allowance,
    AllowanceError,
    allowance,
    check_allowance,
)
from palaver.evaluation.submissions.endpoints import REMOTE_KINDS, check_address, check_endpoint
from palaver.evaluation.submissions.standing import (
    SubmittedModel,
    SubmittedRun,
    answerable_sets,
    own_submission,
    own_submissions,
)
from palaver.evaluation.submissions.submitting import (
    publish,
    submit_endpoint,
    submit_predictions,
    withdraw,
)
from palaver.evaluation.submissions.terms import accept, check_terms, has_accepted

__all__ = [
    "REMOTE_KINDS",
    "Allowance",
    "AllowanceError",
    "SubmittedModel",
    "SubmittedRun",
    "accept",
    "allowance",
    "answerable_sets",
    "check_address",
    "check_allowance",
    "check_endpoint",
    "check_terms",
    "has_accepted",
    "own_submission",
    "own_submissions",
    "publish",
    "submit_endpoint",
    "submit_predictions",
    "withdraw",
]
