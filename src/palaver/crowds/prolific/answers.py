"""Prolific's answers as records: one function per noun, from the fields of one object."""

from math import floor
from typing import Any

from palaver.core.errors import InputError, PanelError
from palaver.core.money import Money
from palaver.crowds.prolific.fields import AnswerFields, plain_line, spoken
from palaver.crowds.prolific.records import (
    BonusSetup,
    CodeAction,
    CompletionCode,
    FilterEntry,
    FilterSet,
    HookDelivery,
    HookEventType,
    HookSecret,
    HookSubscription,
    PanelAccount,
    PanelBalance,
    PanelCost,
    PanelMessage,
    PanelStudy,
    PanelSubmission,
    PanelWorkspace,
    ParticipantGroup,
    PayAdvice,
    StudyFilter,
    SubmissionCounts,
    TestRun,
)

TOTAL = "TOTAL"


def read_account(fields: AnswerFields) -> PanelAccount:
    """Whose token it is."""
    currency = fields.text("currency_code")
    return PanelAccount(
        id=fields.text("id", needed=True),
        name=fields.text("name", "username"),
        email=fields.text("email"),
        currency=currency,
        balance=_money(fields, "balance", currency),
        available=_money(fields, "available_balance", currency),
    )


def read_workspace(fields: AnswerFields) -> PanelWorkspace:
    """A workspace or a project."""
    return PanelWorkspace(
        id=fields.text("id", needed=True),
        title=fields.text("title", "name"),
        workspace=fields.text("workspace"),
    )


def read_balance(fields: AnswerFields) -> PanelBalance:
    """What a workspace has to spend."""
    currency = fields.text("currency_code", needed=True)
    parts = fields.inner("balance_breakdown")
    return PanelBalance(
        currency=currency,
        total=_due(fields, "total_balance", currency),
        available=_due(fields, "available_balance", currency),
        rewards=_due(parts, "rewards", currency),
        fees=_due(parts, "fees", currency),
        vat=_due(parts, "vat", currency),
    )


def read_study(fields: AnswerFields) -> PanelStudy:
    """A study; what participants pay in is its `currency_code`, else what it is shown in."""
    currency = fields.text("currency_code", "presentment_currency_code")
    return PanelStudy(
        id=fields.text("id", needed=True),
        name=fields.text("name"),
        internal_name=fields.text("internal_name"),
        description=fields.text("description"),
        status=fields.word("status"),
        address=fields.text("external_study_url"),
        places=fields.whole("total_available_places"),
        places_taken=fields.whole("places_taken"),
        minutes=fields.whole("estimated_completion_time"),
        most_minutes=fields.whole("maximum_allowed_time") or None,
        currency=currency,
        reward=_money(fields, "reward", currency),
        estimated_hourly=_money(fields, "estimated_reward_per_hour", currency),
        average_hourly=_money(fields, "average_reward_per_hour", currency),
        total_cost=_money(fields, "total_cost", currency),
        is_underpaying=fields.maybe("is_underpaying"),
        devices=fields.texts("device_compatibility"),
        codes=_codes(fields),
        filters=fields.each("filters", read_filter),
        completion_address=fields.text("completion_url"),
        project=fields.text("project"),
        is_screening=fields.flag("is_custom_screening"),
        created=fields.moment("date_created"),
        published=fields.moment("published_at"),
    )


def _codes(fields: AnswerFields) -> tuple[CompletionCode, ...]:
    """The codes of a study; old ones have a single code beside their fields."""
    found = fields.each("completion_codes", read_code)
    old = fields.text("completion_code")
    return found or ((CompletionCode(code=old),) if old else ())


def read_code(fields: AnswerFields) -> CompletionCode:
    """A completion code."""
    return CompletionCode(
        code=fields.text("code"),
        code_type=fields.text("code_type"),
        actor=fields.text("actor"),
        actions=fields.each("actions", _code_action),
    )


def _code_action(fields: AnswerFields) -> CodeAction:
    paid = "fixed_screen_out_reward"
    return CodeAction(
        action=fields.text("action"),
        group=fields.text("participant_group"),
        return_reason=fields.text("return_reason"),
        reward=fields.whole(paid) if fields.has(paid) else None,
        slots=fields.whole("slots") if fields.has("slots") else None,
    )


def read_filter(fields: AnswerFields) -> StudyFilter:
    """A condition on who may take part."""
    between = fields.inner("selected_range")
    return StudyFilter(
        filter_id=fields.text("filter_id"),
        selected_values=fields.texts("selected_values"),
        lower=between.number("lower"),
        upper=between.number("upper"),
        filters=fields.each("selected_filters", read_filter),
        weightings=_weights(fields.inner("weightings")),
    )


def _weights(fields: AnswerFields) -> dict[str, float]:
    return {name: fields.number(name) or 0.0 for name in fields.all_names()}


def read_filter_entry(fields: AnswerFields) -> FilterEntry:
    """A filter of the catalogue."""
    return FilterEntry(
        filter_id=fields.text("filter_id", "id", needed=True),
        title=fields.text("title"),
        description=fields.text("description"),
        question=fields.text("question"),
        type=fields.text("type"),
        data_type=fields.text("data_type"),
        lower=_bound(fields, "min"),
        upper=_bound(fields, "max"),
        choices=fields.names("choices"),
    )


def read_filter_set(fields: AnswerFields) -> FilterSet:
    """Filters under a name."""
    return FilterSet(
        id=fields.text("id", needed=True),
        name=fields.text("name"),
        version=fields.whole("version"),
        filters=fields.each("filters", read_filter),
    )


def _bound(fields: AnswerFields, name: str) -> float | None:
    """An end of a range; those of dates are texts, and left to the service."""
    try:
        return fields.number(name)
    except PanelError:
        return None


def read_submission(fields: AnswerFields) -> PanelSubmission:
    """One person's go at a study."""
    return PanelSubmission(
        id=fields.text("id", needed=True),
        participant=fields.text("participant_id", "participant"),
        study=fields.text("study_id", "study"),
        status=fields.word("status"),
        started=fields.moment("started_at"),
        completed=fields.moment("completed_at"),
        is_complete=fields.flag("is_complete"),
        seconds=fields.number("time_taken"),
        reward=fields.whole("reward") if fields.has("reward") else None,
        code=fields.text("study_code", "entered_code"),
        bonuses=fields.wholes("bonus_payments"),
        return_requested=fields.moment("return_requested"),
    )


def read_counts(fields: AnswerFields) -> SubmissionCounts:
    """How many submissions stand how; the total is the service's, or what the others add up to."""
    counted = {spoken(name): fields.whole(name) for name in fields.all_names() if name != TOTAL}
    return SubmissionCounts(total=fields.whole(TOTAL, sum(counted.values())), by_status=counted)


def read_cost(fields: AnswerFields, currency: str) -> PanelCost:
    """What a study costs."""
    told = fields.text("currency_code") or currency
    return PanelCost(
        total=_due(fields, "total_cost", told),
        rewards=_money(fields, "rewards", told),
        fees=_money(fields, "fees", told),
        vat=_money(fields, "vat", told),
    )


def read_bonus_setup(fields: AnswerFields, currency: str) -> BonusSetup:
    """Bonuses that are set up; their amounts are in the smallest unit, unlike those that were sent."""
    return BonusSetup(
        id=fields.text("id", needed=True),
        study=fields.text("study", "study_id"),
        amount=_due(fields, "amount", currency),
        fees=_due(fields, "fees", currency),
        vat=_due(fields, "vat", currency),
        total=_due(fields, "total_amount", currency),
    )


def read_group(fields: AnswerFields) -> ParticipantGroup:
    """A list of people."""
    return ParticipantGroup(
        id=fields.text("id", needed=True),
        name=fields.text("name"),
        project=fields.text("project_id"),
        workspace=fields.text("workspace_id"),
    )


def read_member(fields: AnswerFields) -> str:
    """Who is in a group."""
    return fields.text("participant_id", needed=True)


def read_message(fields: AnswerFields) -> PanelMessage:
    """A message; the list of unread ones calls its sender otherwise."""
    about = fields.inner("data")
    return PanelMessage(
        id=fields.text("id"),
        sender=fields.text("sender_id", "sender"),
        body=fields.text("body"),
        created=fields.moment("datetime_created", "sent_at"),
        type=fields.text("type"),
        channel=fields.text("channel_id"),
        study=about.text("study_id") or fields.text("study_id"),
        category=about.text("category"),
    )


def read_secret(fields: AnswerFields) -> HookSecret:
    """The secret of a workspace."""
    return HookSecret(
        id=fields.text("id"),
        workspace=fields.text("workspace_id"),
        value=fields.text("value", needed=True),
    )


def read_subscription(fields: AnswerFields, confirmation: str = "") -> HookSubscription:
    """That an address is called on some kind of event."""
    return HookSubscription(
        id=fields.text("id", needed=True),
        event_type=fields.text("event_type"),
        address=fields.text("target_url"),
        is_enabled=fields.flag("is_enabled"),
        workspace=fields.text("workspace_id"),
        confirmation=confirmation,
    )


def read_event_type(fields: AnswerFields) -> HookEventType:
    """A kind of event."""
    return HookEventType(
        event_type=fields.text("event_type", needed=True), description=fields.text("description")
    )


def read_delivery(fields: AnswerFields) -> HookDelivery:
    """What became of one event."""
    return HookDelivery(
        id=fields.text("id"),
        event_type=fields.text("event_type"),
        resource=fields.text("resource_id"),
        status=fields.word("status"),
        created=fields.moment("datetime_created"),
        updated=fields.moment("datetime_updated"),
    )


def read_pay_advice(fields: AnswerFields, currency: str) -> PayAdvice:
    """What is asked for and recommended by the hour."""
    told = fields.text("currency", "currency_code") or currency
    return PayAdvice(
        least=_due(fields, "min_reward_per_hour", told),
        recommended=_due(fields, "recommended_reward_per_hour", told),
    )


def read_test_run(fields: AnswerFields) -> TestRun:
    """A draft that was opened to test participants."""
    return TestRun(study=fields.text("study_id", needed=True), address=fields.text("study_url"))


def _money(fields: AnswerFields, name: str, currency: str) -> Money | None:
    """An amount in the smallest unit; None where the amount or its currency is missing."""
    return _due(fields, name, currency) if currency and fields.has(name) else None


def _due(fields: AnswerFields, name: str, currency: str) -> Money:
    """An amount in the smallest unit, 0 where it is missing; what is less than a unit is rounded."""
    return _paid(floor((fields.number(name) or 0.0) + 0.5), currency)


def _paid(minor: int, currency: str) -> Money:
    try:
        return Money(minor, currency)
    except InputError:
        raise PanelError(
            "Prolific's answer names no currency that we know: "
            f"'{plain_line(currency, 20)}'. Try again; if it stays so, its API has changed."
        ) from None


def objects_of(raw: Any, what: str) -> list[AnswerFields]:
    """The objects of a list that an answer is, or that is its `results`."""
    return AnswerFields({"results": raw} if isinstance(raw, list) else raw, what).every("results")
