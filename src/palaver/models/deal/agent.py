"""A network at a seat of our game: it hears what was said, and answers with moves that are legal.

It is told all events each time and remembers nothing. What the partner marked stays hidden, so that
being asked twice in a row means that there is nothing left to say.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import MAX_CHARACTERS, Place
from palaver.core.words import listed
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.scenarios import DEAL
from palaver.games.deal_or_no_deal.rules import NO_DEAL, DealOrNoDeal
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.deal.averaging import AveragedNetworks
from palaver.models.deal.kinds import network_of, vocabulary_of
from palaver.models.deal.lockstep import NetworkView, WrittenWords
from palaver.models.deal.network import ITEMS, MOST_ITEMS, DealNetwork
from palaver.models.deal.rollouts import Rollouts, TurnsBegun, best_messages, drawn_messages
from palaver.models.deal.speech import MOST_MESSAGES, MOST_WORDS
from palaver.models.deal.splits import best_split, is_deal
from palaver.models.deal.tokens import tokenise
from palaver.models.deal.words import (
    END_NUMBER,
    PAD_NUMBER,
    SELECTION_NUMBER,
    THEM_NUMBER,
    UNKNOWN_NUMBER,
    YOU_NUMBER,
    as_sentence,
    numbers_of,
)
from palaver.models.faces import Decoding
from palaver.models.inheritance import as_started
from palaver.models.vocabulary import Vocabulary

# A seat is not told the rules; these are the usual ones.
_RULES = DealOrNoDeal()


@dataclass(frozen=True, slots=True, kw_only=True)
class DealSeat:
    """What a seat knows of its dialogue."""

    # Count and value of book, hat and ball.
    context: Sequence[int]
    # All that was said, as the seat sees it; a side's messages in a row are one turn.
    words: Sequence[int]
    turns: int
    own_messages: int
    has_spoken_last: bool
    # Whether the seat has marked a deal, and whether there is nothing left but to do so.
    has_chosen: bool
    must_choose: bool


class DealAgent:
    """The networks of some checkpoints; several speak as one."""

    game = DEAL

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        members = [as_started(member) for each in checkpoints for member in each.all]
        self._vocabulary = _common_vocabulary(members)
        networks = [network_of(member).to(device) for member in members]
        self._network: DealNetwork
        self._network = networks[0] if len(networks) == 1 else AveragedNetworks(networks)
        self._device = device
        self._folder = members[0].folder

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """A message; or once a deal is to be marked, the split, or that there is none."""
        seat = read_seat(place, events, self._vocabulary)
        if seat.has_chosen:
            return []
        with torch.inference_mode():
            if seat.must_choose:
                return [self._choice(seat)]
            words = self._message(seat, dice, decoding)
            if words[0] == SELECTION_NUMBER:
                return [self._choice(seat)]
            return [say(_text(self._vocabulary.words[word] for word in words))]

    def _message(self, seat: DealSeat, dice: random.Random, decoding: Decoding) -> list[int]:
        turns = self._turns_begun(seat)
        chance = torch.Generator().manual_seed(dice.getrandbits(63))
        heat = decoding.temperature
        if decoding.candidates >= 2:
            rollouts = Rollouts(
                candidates=decoding.candidates, continuations=decoding.continuations
            )
            found = best_messages(turns, rollouts, temperature=heat, dice=chance)
        else:
            found = drawn_messages(turns, temperature=heat, dice=chance, share=decoding.nucleus)
        words: list[int] = [word for word in found[0].tolist() if word != PAD_NUMBER]
        if not words:
            raise self._broken()
        return words

    def _turns_begun(self, seat: DealSeat) -> TurnsBegun:
        """The seat with the floor, after all that was said."""
        contexts = self._tensor(seat.context)[None]
        words = self._tensor([*seat.words, YOU_NUMBER])
        view = NetworkView.begin(self._network, contexts)
        for word in words[:, None]:
            view.hear(word)
        written = WrittenWords(words=words[None], lengths=self._tensor([len(words)]))
        messages = self._tensor([seat.turns])
        return TurnsBegun(contexts=contexts, view=view, written=written, messages=messages)

    def _choice(self, seat: DealSeat) -> Move:
        """The split that the network thinks was agreed; no deal where it thinks so and may say so."""
        contexts = self._tensor(seat.context)[None]
        chooser = THEM_NUMBER if seat.has_spoken_last else YOU_NUMBER
        words = self._tensor([*seat.words, chooser, SELECTION_NUMBER])[None]
        log_probs = self._network.choose(contexts, words, self._tensor([words.shape[1]]))
        if bool(log_probs.isnan().any()):
            raise self._broken()
        is_agreed = bool(is_deal(best_split(log_probs, contexts)))
        if not is_agreed and seat.own_messages >= _RULES.no_deal_after:
            return Move(action=QUIT, data={NO_DEAL: True})
        shares = best_split(log_probs, contexts, deals_only=True)[0, : len(ITEMS)].tolist()
        return Move(action=SELECT, data={"take": dict(zip(ITEMS, shares, strict=True))})

    def _tensor(self, numbers: Sequence[int]) -> Tensor:
        return torch.tensor(numbers, device=self._device)

    def _broken(self) -> CheckpointError:
        return CheckpointError(
            f"The network in {self._folder} gives numbers that are not finite. Train it anew."
        )


def read_seat(place: Place, events: Sequence[Event], vocabulary: Vocabulary) -> DealSeat:
    """What the events tell a seat; InputError where its scenario is not one for the networks."""
    turns: list[tuple[bool, list[int]]] = []
    own_messages = 0
    for event in events:
        if event.action != MESSAGE or event.seat is None:
            continue
        # What was erased counts as said, and has no words.
        is_own = event.seat == place.seat
        own_messages += is_own
        said = numbers_of(tokenise(event.text), vocabulary) or [UNKNOWN_NUMBER]
        if turns and turns[-1][0] == is_own:
            turns[-1][1].extend(said)
        else:
            turns.append((is_own, said))
    choosers = {event.seat for event in events if event.action == SELECT}
    has_spoken_last = bool(turns) and turns[-1][0]
    return DealSeat(
        context=context_of(place),
        words=[word for turn in turns for word in _turn_words(*turn)],
        turns=len(turns),
        own_messages=own_messages,
        has_spoken_last=has_spoken_last,
        has_chosen=place.seat in choosers,
        must_choose=bool(choosers) or has_spoken_last or len(turns) >= MOST_MESSAGES,
    )


def _turn_words(is_own: bool, said: Sequence[int]) -> list[int]:
    return [YOU_NUMBER if is_own else THEM_NUMBER, *said[:MOST_WORDS], END_NUMBER]


def context_of(place: Place) -> list[int]:
    """Count and value of each item, as a seat knows them; InputError where they are others."""
    rows = place.scenario.kb(place.seat)
    named = _named_rows(rows)
    if named is None or set(named) != set(ITEMS):
        told = listed(list(named)) if named else repr(rows)[:60]
        raise InputError(
            f"The networks for Deal or No Deal have learnt of {listed(ITEMS)}; the scenario "
            f"'{place.scenario.id}' has {told}."
        )
    numbers = [named[item][key] for item in ITEMS for key in ("Count", "Value")]
    if any(not 0 <= number <= MOST_ITEMS for number in numbers):
        raise InputError(
            f"The networks for Deal or No Deal have learnt of 0 to {MOST_ITEMS} items of a kind and "
            f"points for each; the scenario '{place.scenario.id}' has "
            f"{listed([str(number) for number in numbers])}."
        )
    return numbers


def _named_rows(rows: object) -> dict[str, Mapping[str, int]] | None:
    """The rows of a scenario by their names; None where they are not those of the game."""
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return None
    is_whole = all(isinstance(row.get(key), int) for row in rows for key in ("Count", "Value"))
    return {str(row.get("Name")): row for row in rows} if is_whole else None


def _common_vocabulary(members: Sequence[Checkpoint]) -> Vocabulary:
    """The words that all know; CheckpointError where they know different ones."""
    first, *others = (vocabulary_of(member) for member in members)
    if any(other.words != first.words for other in others):
        raise CheckpointError(
            f"The checkpoints beside {members[0].folder} have other vocabularies. Those that speak "
            "as one are trained on the same dialogues."
        )
    return first


def _text(words: Iterable[str]) -> str:
    """The words as people type them, as many as a message may have."""
    kept = list(words)
    while len(text := as_sentence(kept)) > MAX_CHARACTERS:
        kept.pop()
    return text
