"""SONA: a number instead of a name, and credit by an address: the person's browser or we call it."""

from palaver.crowds.panels.panel import Panel
from palaver.crowds.panels.sona_credit import read_credit

SONA = Panel(
    name="sona",
    title="SONA",
    participant="survey_code",
    filled_by={"survey_code": "%SURVEY_CODE%"},
    needs_return="paid",
    back="Back to SONA",
    without_code="No credit is given for this visit. Questions go to the researchers.",
    set_up=(
        "Make an Online External Study and paste the address as its Study URL. SONA replaces "
        "%SURVEY_CODE% by a number; no name reaches us.",
        "For credit by the person's browser copy SONA's client-side completion address into "
        "'returns' under 'completed', with {participant} instead of XXXX.",
        "For credit by this server, which also counts for those who close the page, copy SONA's "
        "server-side completion address into 'credit', with {participant} instead of XXXX.",
        "Both addresses belong to one study at SONA: a study that was copied there has others.",
    ),
    read_credit=read_credit,
)
