"""CloudResearch Connect: ids by URL parameters, a way back by the project's address."""

from palaver.crowds.panels.panel import Panel, PayLine

CONNECT = Panel(
    name="connect",
    title="CloudResearch Connect",
    participant="participantId",
    session="assignmentId",
    study="projectId",
    appends=True,
    returns={"completed": "https://connect.cloudresearch.com/participant/project/{study}/complete"},
    needs_return="paid",
    back="Back to Connect",
    without_code="At Connect, choose to return this project, so that your place is free again.",
    set_up=(
        "Paste the address as the Project Link: Connect appends "
        "participantId, assignmentId and projectId by itself.",
        "For completion choose “Redirect” and compare the address that Connect shows with the one "
        "below; where it differs, put it into 'returns' under 'completed'. With a fixed code "
        "instead, put that into 'codes' under 'completed'.",
        "Those who did not do all steps must not go to the completion address. For each outcome "
        "that is paid in part make a completion branch at Connect, and put its address into "
        "'returns'.",
    ),
    pay=(PayLine("USD", 7.5, 10.0),),
)
