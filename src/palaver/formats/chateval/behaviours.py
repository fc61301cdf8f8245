"""The authors' own map from answers to the sixteen behaviour labels of ABC-Eval.

It knows the eight tasks by name and their answers by what they say, so that a file whose wording was
touched up is still understood; an answer that no pattern fits gives no label.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Rule:
    label: str
    answer: str = ""
    step: str = ""

    def fits(self, step: str, answer: str) -> bool:
        return bool(re.search(self.step, step) and re.search(self.answer, answer))


_RULES: dict[str, tuple[_Rule, ...]] = {
    "grammar": (_Rule("uninterpretable"),),
    "sociality": (_Rule("antisocial"),),
    "commonsense": (_Rule("commonsense contradiction"),),
    "empathy": (_Rule("empathetic", r"^Yes\b"), _Rule("lack of empathy", r"^No\b")),
    "personal_information": (
        _Rule("preference info", step="^value_q$"),
        _Rule("life info", step="^experience_q$"),
        _Rule("preference info", "preference|value"),
        _Rule("life info", r"\blife\b|experience"),
    ),
    "transitions": (
        _Rule("ignore", r"^No\b.*ignore", "acknowledge"),
        _Rule("topic switch", r"^Yes\b.*chang", "new topic"),
        _Rule("follow up", r"^No\b.*ONLY respond", "new topic"),
        _Rule("irrelevant", r"^No\b", "relevant"),
    ),
    "knowledge": (
        _Rule("correct fact", r"^Yes\b", "Do you know"),
        _Rule("incorrect fact", r"^No\b|misleading", "Do you know"),
        _Rule("correct fact", r"^ALL facts are accurate", "search"),
        # The authors take the last of these for an equal of "misleading"; sources that disagree
        # give no label.
        _Rule("incorrect fact", r"^One of the facts|couldn.t find enough", "search"),
    ),
}
_OPTIONS = {
    "cont_s_ctxt": "self contradiction",
    "cont_p_ctxt": "partner contradiction",
    "redundant": "redundant",
}
_CONSISTENCY = ("consistency_label", "consistency_label_withprofile")


def flow_label(task: str, step: str, answer: str) -> str:
    """The behaviour label that an answer gives; empty where it gives none."""
    return next((r.label for r in _RULES.get(task, ()) if r.fits(step, answer)), "")


def option_label(task: str, value: str) -> str:
    """The behaviour label that an option gives; empty where it gives none."""
    return _OPTIONS.get(value, "") if task in _CONSISTENCY else ""
