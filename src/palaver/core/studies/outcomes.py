"""What a visit came to for the person and for the panel that sent them: one outcome for each end.

A visit ends for a reason, in Palaver's words; a panel needs to know less: whom to pay what, and whom to
send again. Codes, return addresses and the pages of panels go by the outcome alone.
"""

from typing import Literal, get_args

Outcome = Literal[
    "completed",
    "screened_out",
    "no_consent",
    "waited",
    "partner_left",
    "attention_failed",
    "over_quota",
    "stopped",
    "withdrew",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

# Everybody who comes when nothing is open to them is over quota, whatever the reason is called.
OVER_QUOTA: Outcome = "over_quota"

BY_REASON: dict[str, Outcome] = {
    "complete": "completed",
    "not_passed": "screened_out",
    "not_eligible": "screened_out",
    # Practised like those who did not pass, and got as far.
    "nothing_left": "screened_out",
    "declined": "no_consent",
    "waited": "waited",
    "partner_left": "partner_left",
    "system_failed": "partner_left",
    "checked_out": "attention_failed",
    "full": OVER_QUOTA,
    "decided": OVER_QUOTA,
    "taken": OVER_QUOTA,
    "nothing_yet": OVER_QUOTA,
    "enough": OVER_QUOTA,
    "paused": OVER_QUOTA,
    "closed": OVER_QUOTA,
    "not_yet_open": OVER_QUOTA,
    "turned_away": OVER_QUOTA,
    "quit": "stopped",
    "removed": "stopped",
    "insufficient": "stopped",
    "abandoned": "stopped",
    "returned": "stopped",
    "timed_out": "stopped",
    "withdrawn": "withdrew",
}

# How each is told to researchers: who has this outcome.
WORDS: dict[Outcome, str] = {
    "completed": "did all steps",
    "screened_out": "did not pass the practice, or practised and found nothing left",
    "no_consent": "did not agree to take part",
    "waited": "waited for a partner, and nobody came",
    "partner_left": "lost the partner, or a system failed",
    "attention_failed": "were stopped by a check",
    "over_quota": "came when nothing was open to them",
    "stopped": "stopped in the middle, or were away too long",
    "withdrew": "withdrew and had everything erased",
}


def outcome_of(reason: str) -> Outcome:
    """The outcome of a visit that ended for this reason.

    A reason that is not listed closed the door before anything began.

    >>> outcome_of("checked_out"), outcome_of("full")
    ('attention_failed', 'over_quota')
    """
    return BY_REASON.get(reason, OVER_QUOTA)
