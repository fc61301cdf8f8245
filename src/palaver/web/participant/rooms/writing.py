"""Writing against a model: what one session asks for, how far the visit is, and what it earns."""

from dataclasses import dataclass, field
from typing import ClassVar

from palaver.core.evaluation.rounds import RoundTerms
from palaver.core.protocols import MAX_CHARACTERS
from palaver.core.words import counted
from palaver.games.model_in_the_loop.form import FormField
from palaver.games.model_in_the_loop.rules import LONGEST_WHY
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.studies.run.writing_visit import WritingVisit
from palaver.web.formatting import money
from palaver.web.participant.rooms.pages import GamePart, RoomView
from palaver.web.shell import FormPage, Shell

# What a field of the context may be shown as a picture: the page loads nothing from elsewhere.
OWN_PICTURES = ("data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
LINKED = ("https://", "http://")
# In which order fields are filled in: first what one aims at, then the words, then what is marked.
ORDER = ("choice", "several", "text", "image", "turns", "span")


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingPart(GamePart):
    """What the game needs of a page: what is asked for, how far the visit is, what the round pays."""

    asked: WritingBrief
    visit: WritingVisit = field(default_factory=WritingVisit)
    terms: RoundTerms = field(default_factory=RoundTerms)
    currency: str = ""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """What is to be filled in, in the order of the page."""
        return tuple(sorted(self.asked.form.writes, key=lambda each: ORDER.index(each.form)))

    @property
    def thing(self) -> str:
        """What one writes, with its article: "a hypothesis"."""
        named = next(iter(self.asked.form.texts), None)
        name = named.title.lower() if named else "example"
        return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"

    @property
    def goal(self) -> str:
        """The label that it is to have; empty where the writer chooses."""
        return next(iter(self.asked.goal.values()), "")

    @property
    def earns(self) -> str:
        """When it counts, and what it then earns."""
        terms = self.terms
        few = f"{terms.matching} of " if terms.matching < terms.validators else ""
        says = [
            f"It counts if {few}{counted(terms.validators, 'other person', 'other people')} agree."
        ]
        verified, kept = terms.bonus.get("verified"), terms.bonus.get("fooling")
        if kept and self.currency:
            says.insert(0, f"You earn {money(kept, self.currency)} if you keep it.")
        if verified and self.currency:
            says.append(f"Then you earn {money(verified, self.currency)}{' more' if kept else ''}.")
        return " ".join(says)

    @property
    def element_options(self) -> dict[str, object]:
        """What its element must know: nothing of it says what the model will answer."""
        form = self.asked.form
        return {
            "gold": [each.name for each in form.gold],
            "answers": [each.name for each in form.answers],
            "texts": [each.name for each in form.texts],
            "labelled": form.goal_field.name if form.goal_field else "",
            "shares": form.shares,
            "confidence": form.confidence,
            "tries": self.asked.tries,
            "most": MAX_CHARACTERS,
            "goal": dict(self.asked.goal),
        }

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        """What number keys choose, in their order: each field with each of its labels."""
        return tuple(
            (each.name, label)
            for each in self.fields
            if each.form in ("choice", "several") and each.name not in self.asked.goal
            for label in each.labels
        )

    @property
    def longest_why(self) -> int:
        return LONGEST_WHY

    def may_show(self, address: object) -> bool:
        """Whether a picture of the context travels with the context itself."""
        return isinstance(address, str) and address.startswith(OWN_PICTURES)

    def may_link(self, address: object) -> bool:
        """Whether the address of a picture can be opened beside the page."""
        return isinstance(address, str) and address.startswith(LINKED)

    def spans_of(self, name: str) -> FormField | None:
        """The field that is marked in this field of the context, if one is."""
        marked = (each for each in self.asked.form.writes if each.form == "span")
        return next((each for each in marked if each.reference == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePage:
    """One text to write about; in a preview its form leads on to `action`."""

    template: ClassVar[str] = "participant/rooms/write.html"
    shell: Shell
    room: RoomView
    part: WritingPart
    instructions: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningPage(FormPage):
    """What somebody should know before the first text; posts `go` = `yes` or `no` to `action`.

    With `goes_on` whoever would rather not read them goes on with the rest of the study.
    """

    template: ClassVar[str] = "participant/rooms/warning.html"
    text: str
    goes_on: bool = False
