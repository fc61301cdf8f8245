"""The pages of recruiting: what is shown of a recruitment, its submissions and its payments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.money import minor_digits
from palaver.core.recruiting.payments import Payment, PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import Decision
from palaver.core.studies.outcomes import WORDS as OUTCOME_WORDS
from palaver.core.studies.outcomes import Outcome
from palaver.core.words import listed
from palaver.crowds.panels import Panel
from palaver.crowds.prolific.checks import LEAST_PART, MOST_PART
from palaver.crowds.prolific.records import CATEGORY_WORDS, FilterEntry, TestRun
from palaver.studies.recruiting.access import PanelAccess
from palaver.studies.recruiting.books import PaymentBooks
from palaver.studies.recruiting.money.top_ups import TopUp
from palaver.studies.recruiting.money.wages import WageMeter
from palaver.studies.recruiting.offering.filters import EligiblePeople
from palaver.studies.recruiting.offering.offers import Offer
from palaver.studies.recruiting.overview import RecruitmentSheet, spent_words
from palaver.studies.recruiting.places.moves import Move
from palaver.studies.recruiting.submissions.decisions import LONGEST_MESSAGE
from palaver.studies.recruiting.submissions.foreseen import VERBS
from palaver.studies.recruiting.submissions.hooks import HookState
from palaver.studies.recruiting.submissions.reconciliation import ReconciliationRow
from palaver.studies.recruiting.submissions.suggestions import Suggestion
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import FilterOption, Pager

SUGGESTED = {
    "approve": "approve",
    "ask_return": "ask to return",
    "screen_out": "screen out with pay",
    "look": "look closer",
}
STATES = {
    "reserved": "place reserved",
    "active": "under way",
    "timed_out": "ran out of time",
    "awaiting_review": "waits for you",
    "processing": "being processed",
    "approved": "approved",
    "partially_approved": "paid in part",
    "returned": "returned",
    "rejected": "rejected",
    "screened_out": "screened out",
}
OUTCOMES: dict[Outcome, str] = {
    "completed": "did all steps",
    "screened_out": "screened out",
    "no_consent": "did not agree",
    "waited": "waited in vain",
    "partner_left": "partner lost",
    "attention_failed": "failed checks",
    "over_quota": "came too late",
    "stopped": "stopped",
    "withdrew": "withdrew",
}
ORDER_STATES = {
    "intended": "not sent",
    "set_up": "set up",
    "sending": "being sent",
    "paid": "paid",
    "unknown": "no answer",
    "refused": "refused",
    "dropped": "given up",
}
DECISION_STATES = {
    "sending": "being sent",
    "unknown": "sent, no answer",
    "done": "done",
    "refused": "refused by the panel",
}
MOVE_WORDS: dict[Move, str] = {
    "publish": "Publish",
    "pause": "Pause",
    "resume": "Resume",
    "stop": "Stop",
    "delete": "Delete the draft",
    "read": "Read the list now",
    "find": "Look for it at the panel",
}
RULES = {
    "waiting": "waiting",
    "work": "work",
    "points": "points",
    "long_chat": "long chats",
    "round": "round of writing",
    "by_hand": "by hand",
    "adjustment": "correction of pay",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage:
    """The recruiting of a study: one recruitment with its state, or the way to the first."""

    template: ClassVar[str] = "desk/recruiting/overview.html"
    words: ClassVar[Mapping[Move, str]] = MOVE_WORDS
    states: ClassVar[Mapping[str, str]] = STATES
    shell: DeskShell
    all_url: str
    panel: Panel
    sheet: RecruitmentSheet | None
    others: Sequence[Recruitment]
    moves: Sequence[Move]
    # Those that this person may make, of those above.
    allowed: Sequence[Move]
    may_own: bool
    top_ups: Sequence[TopUp] = ()
    access: PanelAccess | None = None
    trial: TestRun | None = None
    done: str = ""
    error: str = ""

    @property
    def address(self) -> str:
        """Where the recruitment that is shown has its pages."""
        return "" if self.sheet is None else f"{self.all_url}/{self.sheet.recruitment.key}"

    @property
    def spent(self) -> str:
        return "" if self.sheet is None else spent_words(self.sheet)

    @property
    def figure(self) -> dict[str, Any]:
        return {} if self.sheet is None else wage_figure(self.sheet.meter)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPage:
    """What would be created at the panel, what it costs, and the form that creates it."""

    template: ClassVar[str] = "desk/recruiting/offer.html"
    outcome_words: ClassVar[Mapping[Outcome, str]] = OUTCOME_WORDS
    shell: DeskShell
    all_url: str
    offer: Offer | None
    has_recruitment: bool
    code_words: Mapping[str, str]
    # What is chosen of each filter, in words.
    filters: Mapping[str, str]
    error: str = ""

    @property
    def figure(self) -> dict[str, Any]:
        return {} if self.offer is None else wage_figure(self.offer.meter)

    @property
    def lacking(self) -> int:
        """By how much the budget is too small for it."""
        if self.offer is None or self.offer.most is None or self.offer.budget.left is None:
            return 0
        return max(0, self.offer.most - self.offer.budget.left)


@dataclass(frozen=True, slots=True)
class GivenFilter:
    """What a form or a study file says of one filter: chosen values, or the ends of a range."""

    values: tuple[str, ...] = ()
    lower: str = ""
    upper: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.values or self.lower or self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFilter:
    """A filter with what is chosen of it; `entry` is None where the catalogue has none such."""

    name: str
    entry: FilterEntry | None
    given: GivenFilter
    # The ids of the choices that are ticked, and values that are none.
    ticked: Sequence[str] = ()
    strangers: Sequence[str] = ()
    problem: str = ""

    @property
    def title(self) -> str:
        return self.name if self.entry is None else self.entry.title or self.name

    @property
    def words(self) -> str:
        """What is chosen, in words."""
        known = {} if self.entry is None else self.entry.choices
        if self.given.values:
            told = [known.get(each, each) for each in (*self.ticked, *self.strangers)]
            return listed(told or self.given.values, "or", most=6)
        ends = [("from", self.given.lower), ("to", self.given.upper)]
        return " ".join(f"{word} {end}" for word, end in ends if end)


@dataclass(frozen=True, slots=True, kw_only=True)
class FiltersPage:
    """Who may take part: what is chosen, the catalogue to choose from, and how many people pass."""

    template: ClassVar[str] = "desk/recruiting/filters.html"
    # So many choices stand open, and so many filters that were found; more open on demand.
    few: ClassVar[int] = 12
    open: ClassVar[int] = 3
    shell: DeskShell
    all_url: str
    panel: Panel
    search: str
    chosen: Sequence[ShownFilter]
    found: Sequence[ShownFilter]
    # How many filters have the words that were searched for, shown or not.
    matching: int
    # Whether the catalogue could be read.
    is_known: bool
    is_changed: bool
    is_recruiting: bool
    may_own: bool
    base: int
    eligible: EligiblePeople | None = None
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmPage:
    """What a move will do, before it is done."""

    template: ClassVar[str] = "desk/recruiting/confirm.html"
    shell: DeskShell
    address: str
    recruitment: Recruitment
    action: str
    verb: str
    foreseen: str
    is_danger: bool = False
    # What more is asked: places, an e-mail address.
    asks: str = ""
    value: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksPage:
    """Whether the panel tells this server of what happens, and the button that has it do so."""

    template: ClassVar[str] = "desk/recruiting/hooks.html"
    shell: DeskShell
    all_url: str
    state: HookState | None
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """A visit beside its submission, with what is suggested of it."""

    row: ReconciliationRow
    suggestion: Suggestion | None = None

    @property
    def pick(self) -> str:
        """The submission to decide on; empty where there is none, or nobody may name it."""
        known = self.row.submission
        return "" if known is None else known.panel_id or ""

    @property
    def name(self) -> str:
        """What to call it."""
        return self.row.visit.name if self.row.visit is not None else "nobody here"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSubmissionsPage:
    """Ours beside theirs: a page of it, mismatches first."""

    template: ClassVar[str] = "desk/recruiting/submissions.html"
    states: ClassVar[Mapping[str, str]] = STATES
    outcome_short: ClassVar[Mapping[Outcome, str]] = OUTCOMES
    suggested_words: ClassVar[Mapping[str, str]] = SUGGESTED
    decision_states: ClassVar[Mapping[str, str]] = DECISION_STATES
    verbs: ClassVar[Mapping[Decision, str]] = VERBS
    shell: DeskShell
    address: str
    panel: Panel
    recruitment: Recruitment
    rows: Sequence[ShownRow]
    total: int
    mismatches: int
    waiting: int
    # How many submissions each decision is suggested of.
    suggested: Mapping[str, int]
    state_options: Sequence[FilterOption]
    only_options: Sequence[FilterOption]
    pager: Pager
    shows_panel: bool
    may_decide: bool
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookPage:
    """What will be done to whom, with the words that they read, before it is done."""

    template: ClassVar[str] = "desk/recruiting/look.html"
    categories: ClassVar[Mapping[str, str]] = CATEGORY_WORDS
    states: ClassVar[Mapping[str, str]] = STATES
    most: ClassVar[int] = LONGEST_MESSAGE
    part: ClassVar[tuple[int, int]] = (LEAST_PART, MOST_PART)
    shell: DeskShell
    address: str
    recruitment: Recruitment
    # A decision, or "message".
    decision: str
    verb: str
    foreseen: str
    rows: Sequence[ShownRow]
    least: int
    given: Mapping[str, str]
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentsPage:
    """What people get on top: due, ordered, paid; and the forms that add to it."""

    template: ClassVar[str] = "desk/recruiting/payments.html"
    order_states: ClassVar[Mapping[str, str]] = ORDER_STATES
    rules: ClassVar[Mapping[str, str]] = RULES
    shell: DeskShell
    address: str
    recruitment: Recruitment
    books: PaymentBooks
    # Ours by the panel's submission.
    names: Mapping[str, str]
    people: Sequence[tuple[str, str]]
    top_ups: Sequence[TopUp]
    shows_panel: bool
    may_intend: bool
    may_own: bool
    done: str = ""
    error: str = ""
    given: Mapping[str, str]

    @property
    def due(self) -> list[Payment]:
        return [each for each in self.books.payments if each.order is None]

    @property
    def ordered(self) -> list[Payment]:
        return [each for each in self.books.payments if each.order is not None]

    @property
    def orders(self) -> list[PayOrder]:
        """The orders, those that somebody must look at first."""
        return sorted(self.books.orders, key=lambda each: (each.state != "unknown", -each.created))

    def name_of(self, payment: Payment) -> str:
        return self.names.get(payment.submission or "", "–")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPage:
    """One order: whom it pays what, how it stands, and the next step."""

    template: ClassVar[str] = "desk/recruiting/order.html"
    rules: ClassVar[Mapping[str, str]] = RULES
    shell: DeskShell
    address: str
    recruitment: Recruitment
    panel: Panel
    order: PayOrder
    payments: Sequence[Payment]
    names: Mapping[str, str]
    shows_panel: bool
    may_own: bool
    done: str = ""
    error: str = ""

    @property
    def people(self) -> int:
        """How many people it pays."""
        return len({each.submission for each in self.payments})


def wage_figure(meter: WageMeter) -> dict[str, Any]:
    """The pay of an hour as a picture: what was promised, what it came to, and the panel's lines."""
    unit = 10 ** minor_digits(meter.currency)
    rows: list[dict[str, Any]] = []
    if meter.hourly.is_defined:
        ends = meter.hourly.interval
        point = {"value": meter.hourly.value / unit}
        if ends is not None:
            point |= {"low": ends.low / unit, "high": ends.high / unit}
        rows.append({"name": f"Real, n = {meter.hourly.n}", "points": [point]})
    known = {
        "Promised": meter.promised,
        "Recommended": meter.recommended,
        "Minimum": meter.minimum,
    }
    rows += [
        {"name": name, "points": [{"value": value / unit}]}
        for name, value in known.items()
        if value is not None
    ]
    reference = None if meter.minimum is None else meter.minimum / unit
    return {"rows": rows, "low": 0, "reference": reference, "unit": f" {meter.currency}"}
