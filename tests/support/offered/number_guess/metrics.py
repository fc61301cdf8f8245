"""What dialogues of the game are worth."""

from typing import Any


def guessed_right(dialogues: list[Any]) -> float:
    """The share of guesses that were right."""
    rewards = [
        reward > 0
        for dialogue in dialogues
        for event in dialogue["events"]
        if event["action"] == "end"
        for reward in event["data"].get("outcome", {}).get("reward", {}).values()
    ]
    return sum(rewards) / len(rewards) if rewards else float("nan")


guessed_right.title = "Guessed right"  # type: ignore[attr-defined]
guessed_right.direction = "higher"  # type: ignore[attr-defined]
guessed_right.low, guessed_right.high = 0, 1  # type: ignore[attr-defined]
