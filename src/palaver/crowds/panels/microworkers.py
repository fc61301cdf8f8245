"""Microworkers: a code that follows from worker and campaign, and that can be verified later."""

from palaver.crowds.panels.panel import Panel

MICROWORKERS = Panel(
    name="microworkers",
    title="Microworkers",
    participant="worker",
    study="campaign",
    filled_by={"worker": "{{MW_ID}}", "campaign": "{{CAMP_ID}}"},
    has_own_codes=True,
    set_up=(
        "Paste the address into the instructions of the campaign: Microworkers puts the worker's "
        "id and the campaign's id where the placeholders stand.",
        "Ask for the proof code (VCODE) that people see at the end. Each person has a code of "
        "their own for each outcome; it follows from worker and campaign, and nobody can make one "
        "up.",
        "Verify what workers sent: palaver panel PATH --worker ID --campaign ID --code CODE.",
    ),
)
