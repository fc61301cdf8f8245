"""Any panel that appends URL parameters: the study file names them."""

from palaver.crowds.panels.panel import Panel

PARAMETERS = Panel(
    name="parameters",
    title="Your panel",
    participant="worker_id",
    session="assignment_id",
    set_up=(
        "Paste the address into the panel's form, with the panel's own placeholder after each '='.",
        "Copy the panel's codes into 'codes' and its return addresses into 'returns' of the study "
        "file, one for each outcome that the panel tells apart.",
    ),
)
