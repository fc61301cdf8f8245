"""Stages: what a participant goes through, one after the other.

In the file a stage is a mapping with one key, its kind: `- chat: {...}`, `- write: {...}`,
`- rate: {...}` or `- screen: {...}`. A stage knows its own contradictions (`key_problems`); what
needs the whole study is asked in `definition`.
"""

from palaver.studies.stages.chat import (
    AGAIN,
    PAY,
    ChatStage,
    DisguiseTerms,
    LimitTerms,
    Online,
    PaceTerms,
)
from palaver.studies.stages.rate import Attention, Gold, RateStage
from palaver.studies.stages.screen import PassRule, ScreenStage
from palaver.studies.stages.stage import STAGE_KINDS, AnyStage, Stage
from palaver.studies.stages.write import WriteStage

__all__ = [
    "AGAIN",
    "PAY",
    "STAGE_KINDS",
    "AnyStage",
    "Attention",
    "ChatStage",
    "DisguiseTerms",
    "Gold",
    "LimitTerms",
    "Online",
    "PaceTerms",
    "PassRule",
    "RateStage",
    "ScreenStage",
    "Stage",
    "WriteStage",
]
