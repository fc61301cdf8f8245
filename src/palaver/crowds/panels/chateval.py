"""Addresses as ChatEval's platform made them: worker and piece of work."""

from palaver.crowds.panels.panel import Panel

CHATEVAL = Panel(
    name="chateval",
    title="ChatEval",
    participant="worker_id",
    session="assignment_id",
    set_up=(
        "Give each person the address with their own worker_id, and with an assignment_id for each "
        "piece of work.",
    ),
)
