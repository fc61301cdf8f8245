"""Prolific: ids by URL parameters, several completion codes per study, a way back with the code."""

import os

from palaver.crowds.panels.panel import Panel, PayLine

# Where people go back to, in place of the real address: a stand-in's.
APP = os.environ.get("PALAVER_PROLIFIC_APP", "").rstrip("/") or "https://app.prolific.com"

PROLIFIC = Panel(
    name="prolific",
    title="Prolific",
    participant="PROLIFIC_PID",
    session="SESSION_ID",
    study="STUDY_ID",
    filled_by={
        "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
        "SESSION_ID": "{{%SESSION_ID%}}",
        "STUDY_ID": "{{%STUDY_ID%}}",
    },
    returns_all=f"{APP}/submissions/complete?cc={{code}}",
    needs_code="paid",
    back="Back to Prolific",
    without_code=(
        "At Prolific, choose “Stop without completing”, so that your place goes to somebody else."
    ),
    set_up=(
        "Paste the address as the study's URL and choose “I'll use URL parameters” for the ids.",
        "Under “Completion codes” add one code for each outcome below, each with what Prolific is "
        "to do: approve or review those who completed, a fixed screen-out payment for those who "
        "were screened out or came too late, a request to return for those who did not agree.",
        "Copy each code into 'codes' of the study file. People go back by themselves; no return "
        "address is needed.",
    ),
    pay=(PayLine("GBP", 6.0, 9.0), PayLine("USD", 8.0, 12.0)),
)
