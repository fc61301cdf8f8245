"""Models from outside: a team with a token brings an endpoint or predictions."""

from palaver.evaluation.submissions.endpoints import REMOTE_KINDS, check_address, check_endpoint
from palaver.evaluation.submissions.own_endpoints import add_endpoint, own_options
from palaver.evaluation.submissions.submission import (
    publish_submission,
    submit_endpoint,
    submit_predictions,
    unpublish_submission,
    withdraw_submission,
)
from palaver.evaluation.submissions.team_view import (
    answerable_sets,
    own_submission,
    own_submissions,
)
from palaver.evaluation.submissions.teams import (
    AllowanceError,
    accept_terms,
    add_team,
    allowance,
    check_allowance,
    check_terms,
    has_accepted,
    holder_of,
    list_teams,
    renew_team,
    revoke_team,
    team_sheet,
)

__all__ = [
    "REMOTE_KINDS",
    "AllowanceError",
    "accept_terms",
    "add_endpoint",
    "add_team",
    "allowance",
    "answerable_sets",
    "check_address",
    "check_allowance",
    "check_endpoint",
    "check_terms",
    "has_accepted",
    "holder_of",
    "list_teams",
    "own_options",
    "own_submission",
    "own_submissions",
    "publish_submission",
    "renew_team",
    "revoke_team",
    "submit_endpoint",
    "submit_predictions",
    "team_sheet",
    "unpublish_submission",
    "withdraw_submission",
]
