"""The page on MutualFriends names every generator field, metric, check and question."""

from pathlib import Path

from palaver.games.game import GAMES
from palaver.games.mutual_friends.generator import MutualFriendsGenerator
from palaver.metrics import find_metric

from .reading import page, section

PAGE = page("games/mutual-friends.md")
GAME = GAMES.get("mutual_friends")


def test_every_parameter_of_the_generator_is_described() -> None:
    text = section(PAGE, "Making scenarios")
    assert all(f"`{name}`" in text for name in MutualFriendsGenerator.model_fields)


def test_every_question_metric_and_bot_is_described(tmp_path: Path) -> None:
    survey = section(PAGE, "Survey, checks and metrics")
    assert all(f"`{question.name}`" in survey for question in GAME.survey)
    titles = [find_metric(name, folder=tmp_path).title for name in GAME.metrics]
    assert all(f"| {title} |" in survey for title in titles)
    assert all(target.rpartition(":")[2] in PAGE for target in GAME.bots.values())
