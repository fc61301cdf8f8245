"""Open chat as a game: it brings its options and rules, and nothing to a page or a transcript."""

from pathlib import Path

from palaver.games.game import Game
from palaver.games.open_chat.options import OpenChatOptions

GAME = Game(name="open_chat", folder=Path(__file__).parent, options_type=OpenChatOptions)
