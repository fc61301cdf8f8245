"""Which sessions a round has: contexts, goals and their quotas."""

from collections import Counter
from typing import Any

from palaver.core.evaluation.rounds import Round, RoundContext, RoundModel, RoundTerms
from palaver.core.serial import encode
from palaver.evaluation.rounds.sessions import RoundSessions
from palaver.evaluation.tasks.builtin import builtin_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.games.model_in_the_loop.writing import WritingBrief

CONTEXTS = tuple(
    RoundContext(id=f"c{n}", values={"context": f"Text {n}."}, quota=quota)
    for n, quota in enumerate((None, None, None, 0, 3))
)


def sessions(contexts: tuple[RoundContext, ...] = CONTEXTS, **terms: Any) -> RoundSessions:
    opened = Round(
        task="nli",
        number=2,
        state="open",
        study="loop",
        stage=0,
        terms=RoundTerms(**terms),
        models=(RoundModel(name="bag", version=1, version_id=1),),
        contexts=len(contexts),
        opened=0.0,
        secret="s",
    )
    return RoundSessions(opened, form_of(builtin_task("nli")), contexts)


def by_goal(found: RoundSessions) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, count in found.quotas.items():
        goal = WritingBrief.of(found.scenario(name)).goal
        counts[goal.get("label", "")] += count
    assert found.wanted == counts
    return counts


def test_every_context_is_written_about_for_every_goal() -> None:
    found = sessions(goals={"entailed": None, "neutral": None}, per_context=2)
    # Three contexts twice, one not at all, one three times.
    assert by_goal(found) == {"entailed": 9, "neutral": 9}
    assert "r2-c3-neutral" not in found.quotas
    assert found.quotas["r2-c4-neutral"] == 3


def test_a_goal_with_a_quota_gets_exactly_that_many_the_same_for_the_same_round() -> None:
    found = sessions(goals={"entailed": 4, "neutral": 99, "contradictory": None})
    assert by_goal(found) == {"entailed": 4, "neutral": 6, "contradictory": 6}
    assert (
        found.quotas == sessions(goals={"entailed": 4, "neutral": 99, "contradictory": None}).quotas
    )


def test_without_goals_the_writer_chooses() -> None:
    assert by_goal(sessions()) == {"": 6}


def test_a_task_without_contexts_has_so_many_sessions() -> None:
    found = sessions((), sessions=3, goals={"neutral": None})
    # Each is a scenario of its own, so that one person may hold several.
    assert found.quotas == {f"r2-free-{n}-neutral": 1 for n in (1, 2, 3)}
    assert WritingBrief.of(found.scenario("r2-free-2-neutral")).context_id == "free"


def test_a_session_is_asked_as_its_round_says() -> None:
    asked = WritingBrief.of(sessions(goals={"neutral": None}, tries=4).scenario("r2-c1-neutral"))
    assert (asked.round, asked.context_id, asked.tries) == (2, "c1", 4)
    assert (asked.context, asked.goal) == ({"context": "Text 1."}, {"label": "neutral"})
    assert [each.name for each in asked.form.writes] == ["hypothesis", "label"]
    assert asked.form.shares == "prob"


def test_a_stored_scenario_says_the_same_unless_it_is_of_another_game() -> None:
    scenario = sessions(goals={"neutral": None}, tries=4).scenario("r2-c1-neutral")
    assert WritingBrief.read(encode(scenario).decode()) == WritingBrief.of(scenario)
    assert WritingBrief.read('{"game":"open_chat","extra":{"round":2}}') is None
    assert WritingBrief.read('{"extra":{"form":null}}') is None
