"""Sentences that depend on a study's terms."""

from palaver.studies.file.definition import Study
from palaver.web.formatting import money


def pay_sentence(study: Study) -> str:
    """What taking part is worth; empty when nothing is paid."""
    pay = study.pay
    if pay is None or not pay.amount:
        return ""
    return f"You receive {money(pay.amount, pay.currency)} for taking part."


def pay_after(study: Study, *, reason: str, waited: float) -> str:
    """What somebody receives at the end of a visit."""
    pay = study.pay
    if pay is None or reason not in {"complete", "waited", "partner_left", "system_failed"}:
        return ""
    extra = pay.waiting_per_minute * waited / 60
    if reason == "waited":
        return f"You receive {money(extra, pay.currency)} for waiting." if extra else ""
    total = pay.amount + extra
    if total < 0.005:
        return ""
    waiting = f", {money(extra, pay.currency)} of it for waiting" if extra >= 0.005 else ""
    return f"You receive {money(total, pay.currency)}{waiting}."


def nobody_sentence(study: Study, *, minutes: float | None, stand_in: bool) -> str:
    """What happens when no partner comes."""
    after = "" if minutes is None else f" within {minutes:g} minutes"
    if stand_in:
        return (
            f"If nobody joins{after}, we find you another partner and you can start all the same."
        )
    pay = study.pay
    if pay is not None and pay.waiting_per_minute:
        rate = money(pay.waiting_per_minute, pay.currency)
        return f"If nobody joins{after}, you can leave; waiting is paid at {rate} a minute."
    return f"If nobody joins{after}, we tell you and you can leave. Your time is recorded."
