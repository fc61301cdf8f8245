"""A language model at a seat of the game that it learnt: it reads what was said, and answers in words
and tags.

A reply that cannot be understood, or a move that is not legal, is drawn anew. What is left in the end
is its words alone, or silence; an illegal move is never made.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
import torch

from palaver.core.characters import has_null
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import InputError, MoveError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import Place, Rules
from palaver.core.scenario import Scenario
from palaver.games.game import GAMES
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.faces import Decoding
from palaver.models.language.fine_tuned import reopened_language
from palaver.models.language.games import GameReading, GameTable, game_table
from palaver.models.language.packages import check_packages
from palaver.models.language.writing import LanguageWriter, Lot
from palaver.models.sampling import drawn_words, sharpened
from palaver.models.settings import read_settings

# How often a reply is drawn before its words alone are said.
DRAWN = 4


class LanguagePlayer:
    """The language model of one checkpoint."""

    # Which one it learnt, a checkpoint says.
    game = ""

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        check_packages()
        checkpoint = only_one(checkpoints)
        (self.game,) = learnt_game(checkpoint)
        network, tuning = reopened_language(checkpoint)
        game = GAMES.get(self.game)
        self._table: GameTable = game_table(game, tuning, game_reading(checkpoint))
        self._rules = self._table.rules
        self._writer = LanguageWriter(network, tuning.tokens, device)
        self._tokens = tuning.tokens
        self._tags = [str(tag) for tag in checkpoint.words.get("tags", ())]

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """Words, a move, or both, as they are legal now; nothing where nothing is."""
        if decoding.candidates >= 2:
            raise InputError(
                "A fine-tuned language model tries no messages out: leave 'rollouts' out."
            )
        chance = torch.Generator().manual_seed(dice.getrandbits(63))
        seat = SeatedDialogue.of(place, events, self._rules, self._actions)
        prompt = self._table.prompts.prompt(
            self._table.text.seat(place.scenario, place.seat, events)
        )
        if not seat.allows([say("…")]):
            return self._forced(seat, prompt, decoding, chance)
        words = None
        for _ in range(DRAWN):
            drawn = self._drawn(prompt, decoding, chance)
            moves = self._read(drawn, place)
            if moves and seat.allows(moves):
                return list(moves)
            if len(moves) > 1 and seat.allows(moves[-1:]):
                return [moves[-1]]
            spoken = self._message(self._table.text.words_alone(drawn))
            if words is None and spoken is not None and seat.allows([spoken]):
                words = spoken
        return [] if words is None else [words]

    def _drawn(self, prompt: Sequence[int], decoding: Decoding, chance: torch.Generator) -> str:
        lot = Lot(temperature=decoding.temperature, most=self._table.prompts.reply)
        (numbers,) = self._writer.written([prompt], lot, [chance])
        return " ".join(self._tokens.text(numbers).partition("\n")[0].split())

    def _read(self, drawn: str, place: Place) -> tuple[Move, ...]:
        """The moves of a reply; none where it cannot be understood."""
        try:
            moves = self._table.text.read(drawn, place.scenario, place.seat)
        except MoveError:
            return ()
        cut = (self._message(_text(m)) if m.action == MESSAGE else m for m in moves)
        return tuple(move for move in cut if move is not None)

    def _message(self, text: str) -> Move | None:
        """A message that is no longer than one may be; None where there are no words."""
        kept = text[: self._rules.max_characters].strip()
        return say(kept) if kept and not has_null(kept) else None

    def _forced(
        self,
        seat: "SeatedDialogue",
        prompt: Sequence[int],
        decoding: Decoding,
        chance: torch.Generator,
    ) -> list[Move]:
        """One of the moves that are legal where nothing can be said, by how likely their tags are."""
        known = [(tag, self._read(tag, seat.place)) for tag in self._tags]
        legal = [(tag, moves) for tag, moves in known if moves and seat.allows(moves)]
        if not legal:
            return []
        texts = [self._table.prompts.written(self._table.text.written(tag)) for tag, _ in legal]
        scores = self._writer.likelihoods(prompt, texts)
        if not bool(scores.isfinite().all()):
            raise CheckpointError(
                "The language model gives numbers that are not finite. Train it anew."
            )
        log_probs = sharpened(scores[None], decoding.temperature)
        chosen = int(drawn_words(log_probs, torch.rand(1, generator=chance)))
        return list(legal[chosen][1])

    @property
    def _actions(self) -> list[str]:
        """The moves that people made."""
        return list(dict.fromkeys(tag.partition(">")[0].lstrip("<") for tag in self._tags))


@dataclass(frozen=True, slots=True)
class SeatedDialogue:
    """A dialogue as one seat knows it, under the usual rules of the game."""

    place: Place
    dialogue: Dialogue
    rules: Rules

    @classmethod
    def of(
        cls, place: Place, events: Iterable[Event], rules: Rules, actions: Sequence[str]
    ) -> "SeatedDialogue":
        """What the events tell a seat that has been asked to move.

        If it would not be its turn, the partner has made a move that it does not see: it shows in that
        alone, and stands at the end.
        """
        found = cls(place, _folded(place, [each for each in events if each.is_turn]), rules)
        if place.seat in rules.movers(found.dialogue):
            return found
        for action in actions:
            hidden = Move(action=action, data={})
            audience = rules.audience(found.dialogue, 1 - place.seat, hidden)
            if audience is not None and place.seat not in audience:
                event = _event(hidden, 1 - place.seat, found.dialogue.position + 1)
                return cls(place, found.dialogue.followed_by([event]), rules)
        return found

    def allows(self, moves: Sequence[Move]) -> bool:
        """Whether the seat may make these moves now, one after the other."""
        dialogue, seat = self.dialogue, self.place.seat
        for move in moves:
            is_said = move.action == MESSAGE
            if is_said and not self.rules.composer(dialogue, seat).is_open:
                return False
            try:
                self.rules.check(dialogue, seat, move)
            except MoveError:
                return False
            made = _event(move, seat, dialogue.position + 1)
            dialogue = dialogue.followed_by([made])
        return True


def only_one(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """The checkpoint that answers; InputError for several, which do not answer as one."""
    members = [member for each in checkpoints for member in each.all]
    if len(members) != 1:
        raise InputError(
            f"A fine-tuned language model answers alone; got {len(members)} checkpoints. Give one."
        )
    return members[0]


def learnt_game(checkpoint: Checkpoint) -> list[str]:
    """The name of the game that a checkpoint learnt."""
    named = checkpoint.words.get("game", [])
    if len(named) != 1 or named[0] not in GAMES.names():
        raise CheckpointError(
            f"{checkpoint.folder} does not say which game it learnt; its vocabulary has "
            f"{named!r:.60}."
        )
    return list(named)


def game_reading(checkpoint: Checkpoint) -> GameReading:
    """The section on data of a checkpoint's recipe."""
    return read_settings(GameReading, checkpoint.recipe.get("data"), where="data")


def _folded(place: Place, events: Iterable[Event]) -> Dialogue:
    """Events as a dialogue of their own, numbered without gaps."""
    seats = [Seat(index=n, kind="system", occupant="") for n in range(2)]
    found = Dialogue(id=place.dialogue, scenario=_without_gaps(place), seats=seats)
    found.extend(msgspec.structs.replace(event, seq=n) for n, event in enumerate(events, start=1))
    return found


def _without_gaps(place: Place) -> Scenario:
    """The scenario with nothing where the seat does not know what the partner knows: rules look
    through what both know."""
    own = place.scenario.kb(place.seat)
    kbs = tuple(type(own)() if kb is None else kb for kb in place.scenario.kbs)
    return msgspec.structs.replace(place.scenario, kbs=kbs)


def _event(move: Move, seat: int, seq: int) -> Event:
    return Event(seq=seq, seat=seat, action=move.action, data=move.data or {}, time=0.0)


def _text(move: Move) -> str:
    return str((move.data or {}).get("text", ""))
