"""Respondent: ids of profile, project and screener, and one completion address with a code."""

from palaver.crowds.panels.panel import Panel

RESPONDENT = Panel(
    name="respondent",
    title="Respondent",
    participant="respondent_profile_id",
    session="respondent_screener_response_id",
    study="respondent_project_id",
    appends=True,
    returns_all="https://app.respondent.io/complete?cc={code}",
    needs_code="paid",
    back="Back to Respondent",
    set_up=(
        "Paste the address as the link of an unmoderated study: Respondent "
        "appends its ids by itself.",
        "Copy the completion code that Respondent shows for the project into 'codes' under "
        "'completed'. Give other outcomes codes of their own, so that nobody claims the whole for "
        "a part.",
    ),
)
