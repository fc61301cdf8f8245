"""Which codes contradict each other, and whom a panel would lose: what `palaver check` says."""

from typing import Any

import pytest

from palaver.studies.file.outcomes import lost_outcomes, outcome_problems, possible_outcomes
from support.made_studies import made_study

TALK = {"chat": {"turns": {"at_least": 2}, "conditions": "tern"}}
PAY = {"amount": 2, "currency": "GBP", "early": 0.5}


def study(crowd: dict[str, Any], pay: dict[str, Any] | None = PAY, **given: Any) -> Any:
    systems = {"tern": {"kind": "scripted", "lines": ["one"]}}
    paid = {} if pay is None else {"pay": pay}
    return made_study(crowd=crowd, systems=systems, stages=[TALK], **paid, **given)


def problems(crowd: dict[str, Any], **given: Any) -> list[str]:
    """Each problem: "error" or "warning", and its words."""
    found = outcome_problems(study(crowd, **given))
    return [f"{'warning' if each.warning else 'error'}: {each.message}" for each in found]


@pytest.mark.parametrize(
    ("crowd", "words"),
    [
        ({"codes": {"completed": "A", "stopped": "A"}}, "'stopped' has the code of those"),
        ({"completion_code": "A", "codes": {"over_quota": "A"}}, "'over_quota' has the code"),
        ({"codes": {"partner_left": "P", "waited": "P"}}, "shares its code with 'waited'"),
        ({"part_code": "P", "codes": {"partner_left": "P"}}, "its code with 'part_code'"),
    ],
)
def test_a_code_that_claims_what_is_not_due_is_an_error(crowd: dict[str, Any], words: str) -> None:
    [found] = problems({"kind": "parameters", **crowd})
    assert found.startswith("error: ")
    assert words in found


def test_those_who_are_paid_in_full_may_share_a_code() -> None:
    codes = {"completed": "A", "partner_left": "A", "stopped": "B", "withdrew": "B"}
    assert problems({"kind": "prolific", "codes": codes}) == []


def test_a_panel_that_needs_codes_says_who_would_be_lost() -> None:
    [found] = problems({"kind": "prolific", "completion_code": "A"})
    assert found == (
        "warning: Prolific needs a code, and there is none for those who stopped in the middle, or "
        "were away too long or withdrew and had everything erased. Set 'codes' for 'stopped' and "
        "'withdrew'."
    )
    assert "does not know the codes that are made here" in problems({"kind": "prolific"})[0]


def test_without_pay_only_those_who_are_done_need_a_code() -> None:
    assert problems({"kind": "prolific", "completion_code": "A"}, pay=None) == []


def test_cint_needs_an_address_for_everybody() -> None:
    made = study({"kind": "cint", "returns": {"completed": "https://c.example/?id={participant}"}})
    # The partner's leaving is paid in full, and goes where those go who are done.
    assert lost_outcomes(made) == ["over_quota", "stopped", "withdrew"]


def test_at_sona_credit_or_an_address_will_do() -> None:
    sona = {"kind": "sona"}
    assert lost_outcomes(study(sona, pay=None)) == ["completed", "partner_left"]
    for way in (
        {"credit": "https://s.example/?survey_code={participant}"},
        {"returns": {"completed": "https://s.example/?survey_code={participant}"}},
    ):
        assert lost_outcomes(study({**sona, **way}, pay=None)) == []


def test_signed_links_lose_nobody() -> None:
    assert lost_outcomes(study({"kind": "link"})) == []


def test_what_cannot_happen_is_not_asked_for() -> None:
    made = study({"kind": "prolific"})
    assert possible_outcomes(made) == (
        *("completed", "partner_left", "over_quota", "stopped", "withdrew"),
    )
    asked = study({"kind": "prolific"}, consent={"version": "1", "text": "Yes?"})
    assert "no_consent" in possible_outcomes(asked)


@pytest.mark.parametrize(
    "crowd",
    [
        {"codes": {"finished": "A"}},
        {"returns": {"completed": "ftp://x.example"}},
        {"returns": {"completed": "https://x.example/?a={name}"}},
        {"returns": {"completed": "https://x.example/?a={code.__class__}"}},
        {"returns": {"completed": "https://x.example/?a={code!r}"}},
        {"returns": {"completed": "https://x.example/?a={participant:>99999999}"}},
        {"returns": {"completed": "https://{participant}.example/"}},
        {"returns": {"completed": "https://{participant}/"}},
        {"returns": {"completed": "https://x.example/{"}},
        {"returns": {"completed": "javascript:alert(1)"}},
        {"credit": "https://s.example/?survey_code=XXXX"},
        {"credit": "https://s.example/?survey_code={participant}&c={code}"},
        {"rejoin": "always"},
    ],
)
def test_what_is_no_code_or_address_is_refused(crowd: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"completed|credit|rejoin|finished"):
        study({"kind": "sona", **crowd})


def test_credit_and_rejoin_are_for_panels_that_have_them() -> None:
    credit = {"credit": "https://s.example/?survey_code={participant}"}
    found = [each.message for each in study({"kind": "connect", **credit}).crowd.key_problems()]
    assert found == ["'kind: connect' takes no credit from a server. Leave 'credit' out."]
    found = [each.message for each in study({"rejoin": "open"}).crowd.key_problems()]
    assert "a signed link resumes anywhere" in found[0]
