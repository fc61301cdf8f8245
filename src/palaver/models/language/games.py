"""What a language model learns from dialogues of a game: the replies of both sides, each in its view."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE
from palaver.core.protocols import Rules
from palaver.games.game import Game
from palaver.models.language.fine_tuned import FineTuning
from palaver.models.language.game_files import (
    PlayedGame,
    divided,
    read_games,
    seen_events,
    usual_rules,
)
from palaver.models.language.game_text import GameText, SeatText
from palaver.models.language.learner import WrittenMatter
from palaver.models.language.prompts import GamePrompts
from palaver.models.language.rows import TokenExample, TokenRows
from palaver.models.learner import DataNote, LearnerMaterial
from palaver.models.settings import COUNT, Bounds, option

# As many different tags as are kept for when nothing but a move is left.
_MOST_TAGS = 128
COUNTED = "all tokens of replies, the mark of their end included"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReading:
    """What of dialogues is read, and what is held out."""

    longest: int = option(
        1024, "tokens of a dialogue with what the game tells; the oldest turns are cut first", COUNT
    )
    reply: int = option(96, "tokens of a reply at most", Bounds(least=8))
    least: int = option(2, "messages that a dialogue has at least", COUNT)
    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    licence: str = option("as its file says", "of the dialogues")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTable:
    """A game as a language model learns and plays it: how it reads as text, and how that is cut."""

    text: GameText
    prompts: GamePrompts
    rules: Rules

    def seats(self, played: PlayedGame) -> list[SeatText]:
        """What each seat read and said in a dialogue."""
        dialogue = played.dialogue
        return [
            self.text.seat(
                dialogue.scenario.seen_by(seat), seat, seen_events(dialogue, seat, self.rules)
            )
            for seat in (0, 1)
        ]


def game_table(game: Game, tuning: FineTuning, reading: GameReading) -> GameTable:
    """How a language model reads a game."""
    return GameTable(
        text=GameText(game, has_angles=tuning.tokens.keeps("so <quit> it is")),
        prompts=GamePrompts(
            tokens=tuning.tokens,
            longest=min(reading.longest, tuning.longest),
            reply=reading.reply,
            is_seq2seq=tuning.is_seq2seq,
        ),
        rules=usual_rules(game),
    )


def game_matter(
    reading: GameReading, tuning: FineTuning, material: LearnerMaterial
) -> WrittenMatter:
    """The dialogues of the training files as rows, with those that are held out."""
    game, games = read_games(material.train, least=reading.least)
    learnt, held = divided(games, fold=material.fold, folds=reading.folds, seed=material.cut)
    table = game_table(game, tuning, reading)
    seats = [[(n, text) for text in table.seats(each)] for n, each in enumerate(games)]
    by_key = {each.key: texts for each, texts in zip(games, seats, strict=True)}
    pad, device = tuning.tokens.pad, material.device

    def rows(part: Sequence[PlayedGame]) -> TokenRows:
        examples = _examples(table, [each for game in part for each in by_key[game.key]])
        return TokenRows.of(examples, pad=pad, device=device)

    def read(files: Sequence[Path]) -> TokenRows:
        others = read_other_games(game.name, files, reading)
        texts = [(n, text) for n, each in enumerate(others) for text in table.seats(each)]
        return TokenRows.of(_examples(table, texts), pad=pad, device=device)

    every = [text for texts in seats for _, text in texts]
    return WrittenMatter(
        learnt=rows(learnt),
        held=rows(held),
        read=read,
        note=_note(game, games, held, table, every, reading),
        words={"game": [game.name], "tags": _tags(games, table)},
        unit="dialogues",
        counted=COUNTED,
    )


def read_other_games(name: str, files: Sequence[Path], reading: GameReading) -> list[PlayedGame]:
    """Dialogues of files that are measured on; InputError where they are of another game."""
    game, games = read_games(files, least=reading.least)
    if game.name != name:
        named = ", ".join(path.name for path in files)
        raise InputError(f"{named}: dialogues of '{game.name}'; the model learns '{name}'.")
    return games


def _examples(table: GameTable, texts: Sequence[tuple[int, SeatText]]) -> list[TokenExample]:
    found = [each for n, text in texts for each in table.prompts.examples(text, n)]
    if not found:
        raise InputError("In no dialogue does anybody say anything. Is it the right file?")
    return found


def _tags(games: Sequence[PlayedGame], table: GameTable) -> list[str]:
    """The tags of all moves, the most frequent first, as the seat that made them writes them."""
    counts: Counter[str] = Counter()
    for each in games:
        dialogue = each.dialogue
        for event in dialogue.events:
            if event.is_turn and event.action != MESSAGE and event.seat in (0, 1):
                seat = int(event.seat)
                counts[table.text.tag(event, dialogue.scenario.seen_by(seat), seat)] += 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [tag for tag, _ in ranked if tag][:_MOST_TAGS]


def _note(
    game: Game,
    games: Sequence[PlayedGame],
    held: Sequence[PlayedGame],
    table: GameTable,
    texts: Sequence[SeatText],
    reading: GameReading,
) -> DataNote:
    replies = sum(turn.is_own for text in texts for turn in text.turns)
    return DataNote(
        about=f"Dialogues of {game.name}, each in the view of either side, moves as tags",
        counts={
            "dialogues": len(games),
            "of them held out": len(held),
            "replies": replies,
            "views whose oldest turns were cut": sum(map(table.prompts.is_cut, texts)),
        },
        licence=reading.licence,
    )
