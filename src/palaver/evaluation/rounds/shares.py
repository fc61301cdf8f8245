"""Equal shares for the models of a round: each session goes to one that has had the fewest.

Which model answers in a session follows from its key (`Round.model_of`), so the key is drawn until it is
one of such a model. Sessions count while they run and once they were held. One that was lost or given
back counts no more, so that its model has the fewer and comes next.
"""

from collections import Counter

from sqlalchemy import Connection

from palaver.core.evaluation.rounds import Round
from palaver.storage.engine.keys import new_key
from palaver.storage.evaluation.rounds import hold_round, sessions_with_places


def draw_session_key(connection: Connection, round_: Round) -> str:
    """The key of the next session of a round; whoever else wants one waits for the commit."""
    if len(round_.models) < 2:
        return new_key("d")
    hold_round(connection, round_.id)
    counts = Counter(map(round_.model_of, sessions_with_places(connection, round_)))
    fewest = min(counts[model] for model in round_.models)
    while True:
        key = new_key("d")
        if counts[round_.model_of(key)] == fewest:
            return key
