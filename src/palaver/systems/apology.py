"""What a participant reads when a partner gave no answer: one calm sentence, no jargon."""

_KEPT = "Your message is kept; please send it again or write something else."

PARTICIPANT_SENTENCES: dict[str, str] = {
    "timeout": f"Your partner is taking too long to answer. {_KEPT}",
    "unreachable": f"Your partner cannot be reached just now. {_KEPT}",
    "refused": f"Your partner cannot answer just now. {_KEPT}",
    "garbage": f"Your partner's answer could not be understood. {_KEPT}",
    "error": f"Your partner could not answer just now. {_KEPT}",
}


def apology(kind: str) -> str:
    """The sentence for a failure of this kind; the general one for a kind nobody knows."""
    return PARTICIPANT_SENTENCES.get(kind, PARTICIPANT_SENTENCES["error"])
