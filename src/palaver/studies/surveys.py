"""Surveys: the questions that games bring for after the chat.

A study may name them as any question, define its own under the same name, or leave `ask` out of a
rate stage that follows the chat: then it asks them all.
"""

from typing import Any

from palaver.core.questions.question import Question
from palaver.studies.game_choice import games_played

# A rate stage with one of these says itself what it judges or asks.
SAYS_ITSELF = frozenset({"ask", "data", "from"})


def survey_questions(stages: Any) -> dict[str, Question]:
    """The questions of the games that a file's chats play, by name."""
    return {
        question.name: question
        for game in games_played(stages).values()
        for question in game.survey
    }


def with_surveys(data: dict[str, Any]) -> dict[str, Any]:
    """A study file in which every rate stage that leaves `ask` to the game before it has it."""
    stages = data.get("stages")
    if not isinstance(stages, list):
        return data
    games, filled = games_played(stages), []
    survey: list[str] = []
    for i, stage in enumerate(stages):
        if i in games:
            survey = [question.name for question in games[i].survey]
        match stage:
            case {"rate": dict(given), **others} if (
                survey and not others and not SAYS_ITSELF & given.keys()
            ):
                filled.append({"rate": {**given, "ask": survey}})
            case _:
                filled.append(stage)
    return {**data, "stages": filled}
