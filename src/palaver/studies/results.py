"""What a study's board needs to know of its definition."""

from palaver.analysis.win_rates import expected_win_rates
from palaver.studies.definition import Study
from palaver.studies.stages import RateStage


def board_question(study: Study) -> str | None:
    """The first comparative question of a study: the one its board counts."""
    for stage in study.stages:
        if isinstance(stage, RateStage):
            for name in stage.ask:
                if study.questions[name].level == "pairwise":
                    return name
    return None


def votes_needed(study: Study) -> int | None:
    """How many comparisons are planned; None if neither the board nor every condition says."""
    if study.board.votes is not None:
        return study.board.votes
    conditions = study.chat.conditions if study.chat else ()
    quotas = [condition.needed for condition in conditions]
    return None if None in quotas else sum(quota or 0 for quota in quotas)


def true_win_rates(study: Study) -> dict[str, float] | None:
    """What a simulated crowd of unlimited size would say; None without one."""
    if study.simulated is None or study.chat is None:
        return None
    planned = {
        (condition.systems[0], condition.systems[1]): condition.needed or 1
        for condition in study.chat.conditions
        if len(condition.systems) == 2
    }
    return expected_win_rates(study.simulated.strengths, planned, study.simulated.ties)
