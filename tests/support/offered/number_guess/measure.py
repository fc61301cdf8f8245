"""How well the bot understands people: whether it hears the number that they say is theirs."""

import re
from collections.abc import Iterable

from palaver.core.events import messages
from palaver.core.records import DialogueRecord
from palaver.games.measurement import Confusion, Measured, Measurement


def measure(dialogues: Iterable[DialogueRecord]) -> Measurement:
    """How many of the numbers that are said are heard, and what was guessed after them."""
    count = said = heard = 0
    guessed: dict[str, dict[str, int]] = {}
    for record in dialogues:
        count += 1
        for message in messages(record.events):
            own = str(record.scenario.kb(message.seat or 0)["number"])
            if own in message.text:
                said += 1
                found = re.search(r"\d+", message.text)
                heard += found is not None and found[0] == own
        for event in record.events:
            if event.action == "guess" and event.seat is not None and event.data:
                right = event.data["number"] == record.scenario.kb(1 - event.seat)["number"]
                row = guessed.setdefault(f"seat {event.seat}", {})
                row["right" if right else "wrong"] = row.get("right" if right else "wrong", 0) + 1
    measures = (Measured(name="heard", about="numbers that were said", found=heard, of=said),)
    tables = (Confusion(title="Guesses by seat", counts=guessed),)
    return Measurement(game="number_guess", dialogues=count, measures=measures, tables=tables)
