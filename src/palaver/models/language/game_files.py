"""Dialogues of a game, from every file that `palaver convert` can tell: recognised, read, checked."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import Rules
from palaver.core.words import counted
from palaver.formats.dialogue_files import FilesBeside, recognised
from palaver.formats.found_records import FoundRecord, Mistake
from palaver.games.game import GAMES, Game, Setting


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A dialogue that was held, by what was said in it and about what."""

    dialogue: Dialogue
    key: str

    def part(self, parts: int, seed: int) -> int:
        """Which of equal parts it falls into, by the seed alone."""
        digest = hashlib.sha256(f"{seed}:{self.key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % parts


def usual_rules(game: Game) -> Rules:
    """The rules of a game as they are where nobody says otherwise."""
    return game.options_type().rules(Setting(), folder=game.folder)


def read_games(paths: Sequence[Path], *, least: int) -> tuple[Game, list[PlayedGame]]:
    """The game and its dialogues with at least so many messages, each once.

    InputError where a file cannot be read, where there is none, and where they are of several games.
    """
    found: dict[str, PlayedGame] = {}
    places: dict[str, str] = {}
    short = 0
    for path in paths:
        for place, dialogue in _dialogues(path):
            places.setdefault(dialogue.scenario.game, place)
            if dialogue.message_count < least:
                short += 1
                continue
            played = PlayedGame(dialogue, _key(dialogue))
            found.setdefault(played.key, played)
    game = _game(places)
    if not found:
        named = ", ".join(map(str, paths))
        told = f"None of the {counted(short, 'dialogue')} in {named} has" if short else named
        raise InputError(
            f"{told} {least} messages ('data.least')."
            if short
            else f"There is no dialogue in {told}."
        )
    return game, list(found.values())


def seen_events(dialogue: Dialogue, seat: int, rules: Rules) -> list[Event]:
    """What a seat saw of a dialogue. Files do not say of hidden moves who saw them; the rules do."""
    found: list[Event] = []
    for event in dialogue.events:
        seen = event.seen_by(seat)
        if seen is None or not seen.is_turn or seen.seat is None:
            continue
        if seen.audience is None and seen.action != MESSAGE and seen.seat != seat:
            move = Move(action=seen.action, data=seen.data)
            audience = rules.audience(dialogue, seen.seat, move)
            if audience is not None and seat not in audience:
                continue
        found.append(seen)
    return found


def divided(
    games: Iterable[PlayedGame], *, fold: int, folds: int, seed: int
) -> tuple[list[PlayedGame], list[PlayedGame]]:
    """The dialogues to learn from, and those of the part that is held out."""
    learnt: list[PlayedGame] = []
    held: list[PlayedGame] = []
    for each in games:
        (held if each.part(folds, seed) == fold % folds else learnt).append(each)
    if not learnt or not held:
        raise InputError(
            f"One dialogue in {folds} is held out, which leaves {len(learnt):,} dialogues to learn "
            f"from and {len(held):,} to measure on. Give more dialogues, or another number of "
            "'data.folds'."
        )
    return learnt, held


def _dialogues(path: Path) -> Iterator[tuple[str, Dialogue]]:
    kind = recognised(path)
    if kind.holds != "dialogues" or kind.find is None:
        raise InputError(f"{path} holds {kind.holds}; expected dialogues of a game.")
    try:
        with path.open("rb") as stream:
            for found in kind.find(stream, str(path), FilesBeside()):
                if isinstance(found, Mistake):
                    raise InputError(str(found))
                if isinstance(found, FoundRecord):
                    yield found.place, found.record.dialogue()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _game(places: dict[str, str]) -> Game:
    """The one game of some files; InputError where there are several, or one without tags."""
    if len(places) > 1:
        (one, at), (other, there) = list(places.items())[:2]
        raise InputError(
            f"A model learns one game: {at} is of '{one}' and {there} of '{other}'. Train one for "
            "each."
        )
    if not places:
        raise InputError("There is no dialogue in the files. Give what palaver export wrote.")
    (name, place), *_ = places.items()
    if name not in GAMES.names() or not GAMES.get(name).has_tags:
        playable = [each for each in GAMES.names() if GAMES.get(each).has_tags]
        raise InputError(
            f"{place} is of the game '{name}', which has no tags for a language model to move with. "
            f"Games that have: {', '.join(playable)}."
        )
    return GAMES.get(name)


def _key(dialogue: Dialogue) -> str:
    """What tells a dialogue from all others, also where it has another id elsewhere."""
    said = [(e.seat, e.action, e.text) for e in dialogue.events if e.is_turn]
    content = msgspec.json.encode([dialogue.scenario.kbs, said])
    return hashlib.sha256(content).hexdigest()
