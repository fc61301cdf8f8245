"""A game of somebody else's, and a study that plays it."""

import os
from pathlib import Path

import pytest

from palaver.games.game import GAMES

OFFERED = Path(__file__).parent / "offered"

GUESSING = """\
title: Guess a number
consent: {version: "1", text: Do you agree?}
pay: {amount: 1, currency: GBP}
systems:
  teller: {kind: python, class: "number_guess.bots:Teller"}
  mute: {kind: python, class: "number_guess.bots:Mute"}
stages:
  - chat:
      arrangement: people
      game: {name: number_guess, digits: 9}
      conditions: [{people: true}]
      partner_leaves: teller
      nobody_comes: mute
      pace: null
  - rate: {}
minutes: 5
"""


def write_guessing(folder: Path, text: str = GUESSING) -> Path:
    """The folder of a study in which numbers are guessed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def offer_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the package of the game where this process and those it starts find its entry point."""
    monkeypatch.syspath_prepend(OFFERED)
    monkeypatch.setenv("PYTHONPATH", str(OFFERED), prepend=os.pathsep)
    for name, value in {"_scanned": False, "_targets": {}, "_loaded": {}}.items():
        kept = getattr(GAMES, name)
        monkeypatch.setattr(GAMES, name, kept.copy() if isinstance(kept, dict) else value)
