"""Studies whose raters judge the entries of a challenge: their boards are scores of its phases."""

from sqlalchemy import Connection

from palaver.core.evaluation.challenges import stored_definition
from palaver.storage.evaluation.challenges import list_challenges


def withheld_studies(connection: Connection, *, now: float) -> frozenset[str]:
    """The studies that judge a phase whose scores are not for everybody yet."""
    return frozenset(
        track.judged[phase.name]
        for row in list_challenges(connection)
        for challenge in (stored_definition(row),)
        for track in challenge.tracks
        for phase in challenge.phases
        if phase.name in track.judged and phase.audience(now) != "everybody"
    )
