"""How the stand-in misbehaves on demand, so that one can see what a study does then."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

HookMode = Literal["prompt", "twice", "late", "shuffled", "forged", "never"]
HOOK_MODES: tuple[HookMode, ...] = get_args(HookMode)
Shape = Literal["text", "list", "fields", "message", "odd"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
When = Literal["before", "after"]
How = Literal["500", "drop", "silence"]


@dataclass
class PlannedFailure:
    """What the next calls get in place of an answer; `on` is a part of the path that it is for."""

    how: Literal["refuse", "busy", "500", "drop", "silence"]
    left: int
    on: str = ""
    method: str = ""
    when: When = "before"
    shape: Shape = "text"
    status: int = 400
    retry_after: str = ""

    def is_for(self, method: str, path: str) -> bool:
        """Whether a call gets it."""
        return self.left > 0 and self.on in path and self.method in ("", method)


@dataclass
class Control:
    """What the door to the switches takes; what is left out stays as it is."""

    processing_seconds: float | None = None
    publishing_seconds: float | None = None
    hooks: HookMode | None = None
    hook_delay: float | None = None
    failures: list[PlannedFailure] | None = None
    delete_study: str | None = None
    currency: str | None = None


@dataclass
class Switches:
    """What goes wrong from now on."""

    # How long a submission is PROCESSING, and a study PUBLISHING, in seconds.
    processing_seconds: float = 0.0
    publishing_seconds: float = 0.0
    hooks: HookMode = "prompt"
    hook_delay: float = 3_600.0
    failures: list[PlannedFailure] = field(default_factory=list)

    def take(self, told: Control) -> None:
        """Switch what is told."""
        for name in ("processing_seconds", "publishing_seconds", "hooks", "hook_delay", "failures"):
            if (value := getattr(told, name)) is not None:
                setattr(self, name, value)

    def refuse_next(
        self,
        n: int = 1,
        *,
        shape: Shape = "text",
        status: int = 400,
        on: str = "",
        method: str = "",
    ) -> None:
        """Refuse the next calls, in one of the shapes that errors have."""
        failure = PlannedFailure("refuse", n, on, method, shape=shape, status=status)
        self.failures.append(failure)

    def be_busy(self, n: int = 1, *, retry_after: str = "", on: str = "") -> None:
        """Answer the next calls with 429."""
        self.failures.append(PlannedFailure("busy", n, on, retry_after=retry_after))

    def break_next(
        self, n: int = 1, *, how: How = "500", when: When = "before", on: str = "", method: str = ""
    ) -> None:
        """Fail at the next calls, before they have an effect or after it."""
        self.failures.append(PlannedFailure(how, n, on, method, when=when))

    def next_failure(self, method: str, path: str) -> PlannedFailure | None:
        """What a call gets in place of an answer; each failure is used up."""
        found = next((each for each in self.failures if each.is_for(method, path)), None)
        if found is not None:
            found.left -= 1
            self.failures = [each for each in self.failures if each.left > 0]
        return found


def error_body(status: int, title: str, detail: Any) -> dict[str, Any]:
    """An error as most endpoints write it."""
    return {
        "error": {
            "status": status,
            "error_code": 140_000 + status,
            "title": title,
            "detail": detail,
            "additional_information": "",
        }
    }


def shaped_error(shape: Shape, status: int) -> Any:
    """An error in each of the shapes that were seen, and one that was not."""
    if shape == "message":
        return {"message": "That does not work", "detail": "The stand-in was told to refuse"}
    if shape == "odd":
        return [{"problem": ["The stand-in was told to refuse"]}]
    details: dict[str, Any] = {
        "text": "The stand-in was told to refuse",
        "list": ["The stand-in was told to refuse", "It says two things"],
        "fields": {"reward": ["The stand-in was told to refuse"], "name": ["It is too long"]},
    }
    return error_body(status, "Bad request", details[shape])
