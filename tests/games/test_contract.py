"""What every game has in common, asked of each that is known."""

import random
from pathlib import Path

import pytest

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Move
from palaver.core.protocols import Rules
from palaver.games.game import GAMES, Game, Setting
from palaver.metrics import find_metric
from palaver.studies.stages import ChatStage
from palaver.web.rendering import Renderer, game_file

# What games must be told that have options without a default.
OPTIONS = {"open_chat": {"turns": {"at_least": 2}}}


@pytest.fixture(params=[*GAMES.names(), "number_guess"])
def game(request: pytest.FixtureRequest, offered: None) -> Game:
    return GAMES.get(request.param)


@pytest.fixture
def rules(game: Game, tmp_path: Path) -> Rules:
    options = game.options_type.model_validate(OPTIONS.get(game.name, {}))
    return options.rules(Setting(), folder=tmp_path)


def test_it_is_registered_under_its_own_name(game: Game) -> None:
    assert GAMES.get(game.name) is game


def test_its_options_can_stand_beside_the_keys_of_a_stage(game: Game) -> None:
    assert not game.options_type.model_fields.keys() & {"name", *ChatStage.model_fields}


def test_its_files_are_there(game: Game) -> None:
    renderer = Renderer()
    for template in filter(None, (game.knowledge, game.moves)):
        assert renderer.environment.get_template(game_file(game, template))
    for file in filter(None, (game.element, game.style)):
        assert renderer.static(game_file(game, file)).startswith(f"/static/games/{game.name}/")


def test_the_same_dice_give_the_same_scenario(rules: Rules) -> None:
    assert rules.new_scenario(random.Random(3)) == rules.new_scenario(random.Random(3))


def test_a_seat_sees_nothing_of_what_another_knows(rules: Rules) -> None:
    scenario = rules.new_scenario(random.Random(3))
    assert scenario.seen_by(0).kb(1) is None
    assert scenario.seen_by(0).kb(0) == scenario.kb(0)


def test_somebody_may_move_first_and_anybody_may_quit(rules: Rules) -> None:
    seats = [Seat(index=n, kind="person", occupant=f"p{n}") for n in (0, 1)]
    scenario = rules.new_scenario(random.Random(3))
    conversation = Conversation(Dialogue(id="d", scenario=scenario, seats=seats), rules)
    assert isinstance(conversation.movers(), frozenset)
    assert conversation.movers()
    for seat in (0, 1):
        _, end = conversation.consider(seat, Move(action="quit"), 1.0)
        assert (end.data["reason"], end.data["outcome"]["seat"]) == ("quit", seat)


def test_its_questions_and_metrics_have_names(game: Game, tmp_path: Path) -> None:
    assert len({question.name for question in game.survey}) == len(game.survey)
    assert all(find_metric(name, folder=tmp_path).title for name in game.metrics)
