"""Panels by name; one of another package registers under the entry point `palaver.panels`."""

from palaver.core.registry import Registry
from palaver.crowds.panels.panel import Panel

_HERE = "palaver.crowds.panels"

PANELS: Registry[Panel] = Registry(
    "panel",
    "palaver.panels",
    {
        "prolific": f"{_HERE}.prolific:PROLIFIC",
        "connect": f"{_HERE}.connect:CONNECT",
        "sona": f"{_HERE}.sona:SONA",
        "besample": f"{_HERE}.besample:BESAMPLE",
        "respondent": f"{_HERE}.respondent:RESPONDENT",
        "user-interviews": f"{_HERE}.user_interviews:USER_INTERVIEWS",
        "cint": f"{_HERE}.cint:CINT",
        "microworkers": f"{_HERE}.microworkers:MICROWORKERS",
        "mturk": f"{_HERE}.mturk:MTURK",
        "chateval": f"{_HERE}.chateval:CHATEVAL",
        "parameters": f"{_HERE}.parameters:PARAMETERS",
    },
    see=" Any other is 'parameters', with names of your own; signed links are 'link'.",
)
