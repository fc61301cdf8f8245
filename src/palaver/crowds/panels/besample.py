"""Besample: one id for the response, a way back that the researcher copies."""

from palaver.crowds.panels.panel import Panel

BESAMPLE = Panel(
    name="besample",
    title="Besample",
    participant="response_id",
    filled_by={"response_id": "%RESPONSE_ID%"},
    needs_return="paid",
    back="Back to Besample",
    set_up=(
        "Paste the address as the survey's link. Besample fills in the id of the response; where "
        "its form shows another placeholder, write that one after 'response_id='.",
        "Copy the completion address that Besample shows into 'returns' under 'completed', with "
        "{participant} where it names the response. Do the same for its other addresses.",
    ),
)
