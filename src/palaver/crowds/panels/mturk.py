"""Sites that work as Mechanical Turk did: people open a link and type the code that they get."""

from palaver.crowds.panels.panel import Panel

MTURK = Panel(
    name="mturk",
    title="Mechanical Turk",
    participant="workerId",
    session="assignmentId",
    study="hitId",
    filled_by={
        "workerId": "${workerId}",
        "assignmentId": "${assignmentId}",
        "hitId": "${hitId}",
    },
    without_code="Return the task where you found it, so that somebody else can take it.",
    set_up=(
        "Amazon closed Mechanical Turk on 30 September 2026. This is for sites that work as it "
        "did, and for addresses that append workerId, assignmentId and hitId (ExternalQuestion).",
        "Put the address into the task and ask for the code that people see at the end. A task "
        "that is only looked at (ASSIGNMENT_ID_NOT_AVAILABLE) shows a preview.",
        "Without 'codes' each person gets a code of their own; compare it with the list of "
        "participants at the desk before you pay.",
    ),
)
