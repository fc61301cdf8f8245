"""The chat format of language models: messages with roles in, a completion out."""

from typing import Any, TypedDict

from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.transcript import Transcript

OPENING_PROMPT = "Please begin the conversation with one short, friendly message."


class ChatMessage(TypedDict):
    """One message as a language model reads it."""

    role: str
    content: str


def chat_messages(
    transcript: Transcript, *, system_prompt: str = "", opening_prompt: str = OPENING_PROMPT
) -> list[ChatMessage]:
    """The dialogue from this seat: own words as assistant, the other's as user.

    Many models insist that a user speaks first and that roles alternate. Neighbouring messages of
    one seat are one message, and where this seat opens, the opening prompt stands before it, in the
    first request and in all later ones.
    """
    place = transcript.place
    instructions = "\n".join(filter(None, [system_prompt, *place.scenario.persona(place.seat)]))
    messages: list[ChatMessage] = []
    if instructions:
        messages.append({"role": "system", "content": instructions})
    if not transcript.lines or transcript.lines[0].own:
        messages.append({"role": "user", "content": opening_prompt})
    for line in transcript.lines:
        messages.append({"role": "assistant" if line.own else "user", "content": line.text})
    return messages


class Completion:
    """An answer as it grows, out of chunks of a stream or one whole response."""

    def __init__(self) -> None:
        self.text = ""
        self.finished = False

    def add(self, chunk: Any) -> bool:
        """Read one decoded chunk; whether it brought new words."""
        if not isinstance(chunk, dict):
            raise AttemptError("garbage", f"Expected a completion object; got {_seen(chunk)}.")
        if chunk.get("error"):
            raise AttemptError("error", _error_text(chunk["error"]), may_pass=True)
        choices = chunk.get("choices")
        if not choices:
            return False  # a usage report or a sign of life
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise AttemptError("garbage", f"Expected a list of choices; got {_seen(choices)}.")
        if choice.get("finish_reason"):
            self.finished = True
        words = _content(choice.get("delta") or choice.get("message"))
        self.text += words
        return bool(words)

    def reply(self) -> str:
        """The whole answer; an AttemptError if there is none or it was cut off."""
        if not self.finished:
            raise AttemptError(
                "garbage", f"The answer ended before it was finished: {_seen(self.text)}."
            )
        if not self.text.strip():
            raise AttemptError("garbage", "The answer has no text.")
        return self.text.strip()


def _content(message: Any) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    if content is None or isinstance(content, str):
        return content or ""
    raise AttemptError("garbage", f"Expected text as content; got {_seen(content)}.")


def _error_text(error: Any) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return f"The service reported an error: {shorten(str(message or error))}"


def _seen(value: Any) -> str:
    return shorten(repr(value))
