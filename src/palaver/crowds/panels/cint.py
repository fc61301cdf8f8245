"""Cint: one id per person, and a return address for each status of a session."""

from palaver.crowds.panels.panel import Panel

CINT = Panel(
    name="cint",
    title="Cint",
    participant="PID",
    filled_by={"PID": "[%PID%]"},
    needs_return="everybody",
    back="Go on",
    set_up=(
        "Paste the address as the live link of the target group; Cint puts the id of the person "
        "where [%PID%] stands. Where its form shows another placeholder, write that one.",
        "Cint knows what became of somebody by the address to which they return: copy one into "
        "'returns' for each outcome: complete under 'completed', terminate under 'screened_out' "
        "and 'no_consent', quality terminate under 'attention_failed', quota full under "
        "'over_quota'. Write {participant} where the id belongs.",
    ),
)
