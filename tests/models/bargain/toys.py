"""Small bargains to learn from, tiny networks that bargain, and one that says what it likes."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from palaver.games.craigslist_bargain.sides import BargainSide, side_of
from palaver.models.bargain.kinds import SPEAKER_KINDS
from palaver.models.bargain.marks import (
    END_NUMBER,
    LISTING_MARKS,
    MARKS,
    BargainWords,
    price_grid,
)
from palaver.models.bargain.network import BargainSituation, State, TurnSpeaker
from palaver.models.bargain.pricing import price_word
from palaver.models.bargain.scenes import Scenes
from palaver.models.bargain.turns import ReadingLimits
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.settings import read_settings
from palaver.models.vocabulary import Vocabulary
from support.cocoa import BARGAIN_EXAMPLE

CPU = torch.device("cpu")
LIMITS = ReadingLimits(turn=30, title=6, description=20)
OWN_WORDS = ("hello", "ok", "no", "?", "price", "for", "great", ".")
WORDS = BargainWords(
    Vocabulary([*MARKS, *map(price_word, price_grid(0.25)), *OWN_WORDS]),
    Vocabulary([*LISTING_MARKS, "lamp", "bright", "blue"]),
)
HELLO, OK, NO = (WORDS.said.number(word) for word in ("hello", "ok", "no"))
TINY: Mapping[str, Any] = {
    "data": {"folds": 4, "price_step": 0.25, "least_words": 0, "least_messages": 1},
    "network": {"embedding": 12, "hidden": 16, "layers": 2, "dropout": 0.0},
}
_TALKS: Sequence[Sequence[tuple[int, str, Any]]] = (
    (
        (0, "message", "Hello! Is the lamp bright?"),
        (1, "message", "It is. I want $40 for it."),
        (0, "message", "I'd pay $25, it isn't new."),
        (1, "message", "Great, $30 and it's yours..."),
        (0, "offer", 30.0),
        (1, "accept", None),
    ),
    (
        (1, "message", "Hi, a fine lamp."),
        (0, "message", "What about $20?"),
        (1, "message", "No, that is too low."),
        (0, "message", "Bye then."),
        (0, "quit", None),
    ),
    (
        (0, "message", "Would you take $28?"),
        (1, "message", "Sure."),
        (1, "offer", 28.0),
        (0, "message", "Great!"),
        (0, "accept", None),
    ),
)


def example(number: int, events: Sequence[tuple[int, str, Any]]) -> dict[str, Any]:
    """An example of CoCoA in which the buyer sits at seat 0."""
    found = deepcopy(BARGAIN_EXAMPLE)
    found["uuid"] = f"C_{number}"
    found["scenario"]["kbs"][0]["personal"]["Target"] = 20 + number % 5
    found["events"] = [
        {
            "agent": seat,
            "time": str(n),
            "action": action,
            "data": {"price": data} if action == "offer" else data,
        }
        for n, (seat, action, data) in enumerate(events)
    ]
    return found


def write_bargains(path: Path, count: int = 24) -> Path:
    """A file of made dialogues."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([example(n, _TALKS[n % len(_TALKS)]) for n in range(count)]))
    return path


def sides(buyer: int = 20, seller: int = 40) -> tuple[BargainSide, BargainSide]:
    """The two sides of a bargain about a lamp for 40."""
    first, second = deepcopy(BARGAIN_EXAMPLE["scenario"]["kbs"])
    first["personal"]["Target"], second["personal"]["Target"] = buyer, seller
    return side_of(first), side_of(second)


def scenes(count: int = 4, words: BargainWords = WORDS) -> Scenes:
    return Scenes.of([sides(20 + n) for n in range(count)], words, LIMITS)


def dice(seed: int = 5) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def tiny_network(
    model: str = "bargain-words",
    *,
    words: BargainWords = WORDS,
    seed: int = 1,
    spread: float = 0.6,
    ends: float = 1.0,
    **network: Any,
) -> TurnSpeaker:
    """A network with random weights that ends its turns sooner or later."""
    kind = SPEAKER_KINDS[model]
    found = kind.network(read_settings(kind.settings_type, tiny(**network)), words)
    chance = torch.Generator().manual_seed(seed)
    for weight in found.parameters():
        weight.data = torch.randn(weight.shape, generator=chance) * spread
    bias = found.get_parameter("output_bias")
    bias.data[END_NUMBER] += ends
    return found.eval()


def tiny(**network: Any) -> dict[str, Any]:
    return {"data": TINY["data"], "network": {**TINY["network"], **network}}


def tiny_checkpoint(
    folder: Path, *, words: BargainWords = WORDS, network: TurnSpeaker | None = None, **given: Any
) -> Checkpoint:
    """A checkpoint of such a network, or of one that is given."""
    network = network or tiny_network(words=words, **given)
    write_checkpoint(
        folder,
        settings={"model": "bargain-words", "recipe": {"model": "bargain-words", **tiny()}},
        words={"said": words.said.words, "listed": words.listed.words},
        weights=network.state_dict(),
    )
    return open_checkpoint(folder)


class ToySpeaker(TurnSpeaker):
    """Says one thing, then ends its turn: what it says is a matter of its `likes`."""

    earlier = 1

    def __init__(self, likes: Mapping[int, float]) -> None:
        super().__init__()
        logits = torch.full((len(WORDS.said),), -30.0)
        for word, liking in likes.items():
            logits[word] = liking
        self.likes = nn.Parameter(logits)

    def states(self, situation: BargainSituation, words: Tensor) -> Tensor:
        """Whether a turn begins after each word: after its category."""
        places = torch.arange(words.shape[1])
        return (places == 1).float().expand(words.shape)[..., None]

    def predict(self, states: Tensor) -> Tensor:
        ends = torch.full((len(WORDS.said),), -30.0)
        ends[END_NUMBER] = 0.0
        # A price may be due, which is that at one's own target.
        ends[WORDS.price_number(1.0, _UNIT)] = -20.0
        return torch.where(states > 0, self.likes, ends)

    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]:
        return []

    def begin(self, situation: BargainSituation) -> State:
        return (torch.zeros(len(situation), dtype=torch.long),)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        count = state[0]
        return self.predict((count == 1).float()[:, None]), (count + 1,)


class _Unit:
    """The scale on which dollars are shares."""

    worst, width = 0.0, 1.0


_UNIT: Any = _Unit()
