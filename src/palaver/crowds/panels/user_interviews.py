"""User Interviews: one id for the invitation, and pay that the researcher marks by hand."""

from palaver.crowds.panels.panel import Panel

USER_INTERVIEWS = Panel(
    name="user-interviews",
    title="User Interviews",
    participant="iid",
    filled_by={"iid": "{iid}"},
    back="Back to User Interviews",
    set_up=(
        "Paste the address as the link of an unmoderated task; User Interviews fills in 'iid' for "
        "each person.",
        "Whoever is done is marked as completed at User Interviews by you. Where the project shows "
        "a completion address, put it into 'returns' under 'completed'.",
    ),
)
