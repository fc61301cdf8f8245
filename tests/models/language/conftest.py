"""What the tests of fine-tuning share: tiny bases, dialogues of bots, and what was trained on them."""

from pathlib import Path

import pytest

from palaver.models.checkpoints.folder import Checkpoint
from support.tiny_language import (
    GAME_NAMES,
    bots_talk,
    language_recipe,
    tiny_language,
    trained_language,
)


@pytest.fixture(scope="session")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bases")
    return {kind: tiny_language(folder / kind, kind) for kind in ("llama", "gpt2", "t5")}


@pytest.fixture(scope="session")
def talks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("talks")
    return {name: bots_talk(folder / f"{name}.jsonl", name) for name in GAME_NAMES}


@pytest.fixture(scope="session")
def players(
    bases: dict[str, Path], talks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Checkpoint]:
    """A player of each game, each with a base of another make."""
    folder = tmp_path_factory.mktemp("players")
    makes = zip(GAME_NAMES, ("llama", "gpt2", "llama"), strict=True)
    return {
        name: trained_language(
            language_recipe(bases[make], data={"longest": 1000}, training={"epochs": 1}),
            folder / name,
            talks[name],
        )
        for name, make in makes
    }
