"""SONA's answer to a credit that was sent by its server-side completion address.

A credit that was given answers with a result whose `credit_status` is G; anything else has errors. Who
was credited before is told so, and has the credit: that is what a second delivery looks like.
"""

from xml.parsers import expat

from palaver.core.outbox import SendingAnswer

MOST_BYTES = 64 * 1024
MOST_WORDS = 300
# How SONA says that somebody has the credit already.
ALREADY = ("already received credit", "already participated", "already been credited")


class _UnsafeError(Exception):
    """A document that declares types or entities, which no answer of SONA does."""


def read_credit(status: int, body: bytes) -> SendingAnswer:
    """Whether SONA gave the credit, or had given it before, and otherwise why not."""
    if status >= 500 or status in (408, 429):
        return SendingAnswer(False, f"SONA answered with status {status}.", may_pass=True)
    if status != 200:
        return SendingAnswer(False, f"SONA answered with status {status}. Check the address.")
    try:
        texts = _texts(body)
    except (expat.ExpatError, _UnsafeError, ValueError):
        return SendingAnswer(
            False, "SONA's answer is not what its server-side address gives. Check the address."
        )
    errors = " ".join(text for path, text in texts if "Errors" in path).strip()[:MOST_WORDS]
    if any(words in errors.lower() for words in ALREADY):
        return SendingAnswer(True, "had the credit already")
    if errors:
        return SendingAnswer(False, f"SONA refused: {errors}")
    granted = any(path[-1] == "credit_status" and text.strip() == "G" for path, text in texts)
    if granted:
        return SendingAnswer(True)
    return SendingAnswer(False, "SONA's answer does not say that the credit was given.")


def _texts(body: bytes) -> list[tuple[tuple[str, ...], str]]:
    """The texts of a document, each with the names of the elements around it, without prefixes."""
    if len(body) > MOST_BYTES:
        raise ValueError("too long")
    path: list[str] = []
    found: list[tuple[tuple[str, ...], str]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name.rpartition(":")[2])

    def end(name: str) -> None:
        path.pop()

    def text(words: str) -> None:
        if words.strip():
            found.append((tuple(path), words))

    def refuse(*_: object) -> None:
        raise _UnsafeError

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.Parse(body, True)
    return found
