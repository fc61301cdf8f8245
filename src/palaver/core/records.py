"""The shape of Palaver's own files: one dialogue or one label per line of JSON.

These structs are the door for JSON lines in both directions; `msgspec` checks the types. What a
field says of itself here is what tables, the API and the data dictionary of an export say of it.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event
from palaver.core.labels import Purpose, RaterKind
from palaver.core.scenario import Scenario
from palaver.core.units import UnitPlace

StudyName = Annotated[str, Meta(description="the study's name")]
SourceId = Annotated[
    str | None,
    Meta(description="your id: its name in the file it came from; null where it was held here"),
]


class DialogueRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `dialogues.jsonl`."""

    id: Annotated[str, Meta(description="the dialogue's key")]
    name: Annotated[str, Meta(description="what people call it here, such as d07")] = ""
    source_id: SourceId = None
    source: Annotated[
        str | None,
        Meta(description="the file or system it came from; null where it was held here"),
    ] = None
    study: StudyName
    purpose: Annotated[
        str,
        Meta(description="`real`, or what else it is for: `training`, `gold` or `attention`"),
    ] = "real"
    condition: Annotated[
        str,
        Meta(
            description="as in the study file: `friendly`, `friendly|terse`, `people`; "
            "`selfplay:A|B` for self-play"
        ),
    ] = ""
    position: Annotated[int, Meta(description="0 for the first of a pair, 1 for the second")] = 0
    group: Annotated[
        str | None, Meta(description="dialogues that were held together share it: both of a pair")
    ] = None
    scenario: Annotated[Scenario, Meta(description="what the seats knew before the first word")] = (
        Scenario()
    )
    seats: Annotated[list[Seat], Meta(description="who sat where")]
    events: Annotated[list[Event], Meta(description="everything that happened, in order")]
    created: Annotated[
        float | None,
        Meta(description="when it began; null for an imported dialogue whose file does not say"),
    ] = None
    status: Annotated[str, Meta(description="`running` or `ended`")] = "running"
    reason: Annotated[
        str, Meta(description="why it ended; `imported` where it was held elsewhere")
    ] = ""

    def dialogue(self) -> Dialogue:
        """The record as a dialogue, folded."""
        dialogue = Dialogue(
            id=self.id,
            study=self.study,
            condition=self.condition,
            scenario=self.scenario,
            seats=list(self.seats),
        )
        dialogue.extend(self.events)
        return dialogue


class LabelRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `labels.jsonl`; the columns of the tidy table."""

    study: StudyName
    unit: Annotated[
        str,
        Meta(
            description="what was judged: `dialogue:KEY`, `event:KEY:SEQ`, `turn:KEY:FIRST-LAST`, "
            "`seat:KEY:SEAT` or `pair:ONE|OTHER`"
        ),
    ]
    item: Annotated[
        str | None,
        Meta(
            description="your id of what the rater was handed: the `id` of the line in the file of "
            "the rate stage; null where it did not come from a file"
        ),
    ] = None
    dialogue: Annotated[
        str | None,
        Meta(description="the dialogue's key; null for a pair, whose two dialogues are in `unit`"),
    ]
    source_id: Annotated[
        str | None,
        Meta(
            description="your id of the dialogue, of a pair that of its first side; null where it "
            "was held here"
        ),
    ] = None
    second_source_id: Annotated[
        str | None,
        Meta(description="your id of the second dialogue of a pair; null elsewhere"),
    ] = None
    seq: Annotated[
        int | None,
        Meta(description="the first event of the turn; null for a dialogue or a pair"),
    ]
    turn: Annotated[
        int | None,
        Meta(
            description="the number of the turn in its dialogue, from 1; a turn is what one side "
            "said before the other spoke; null for a dialogue or a pair"
        ),
    ]
    question: Annotated[str, Meta(description="the question's name")]
    question_version: Annotated[str, Meta(description="changes with any word of the question")]
    purpose: Annotated[str, Meta(description="`real`, `training`, `gold` or `attention`")]
    section: Annotated[
        str | None,
        Meta(
            description="the section of a released data set that it comes from, such as "
            "`surge_evaluation`; null elsewhere"
        ),
    ] = None
    rater: Annotated[str, Meta(description="the rater's key: an alias, or the name of a model")]
    rater_name: Annotated[str, Meta(description="what people call the rater here, such as P07")] = (
        ""
    )
    rater_kind: Annotated[str, Meta(description="`person`, `model`, `simulated` or `anonymous`")]
    assignment: Annotated[
        str | None, Meta(description="the visit in which it was given; null outside of visits")
    ]
    shown_order: Annotated[
        list[str] | None,
        Meta(description="the order in which the sides stood on the screen; null for one side"),
    ]
    value: Annotated[
        Any,
        Meta(
            description="the answer as it is stored, see the question; of a comparison `first`, "
            "`second` or `tie`, where the first is the side named first in `unit`; null after an "
            "abstention or an erasure"
        ),
    ]
    label: Annotated[
        Any,
        Meta(
            description="what the answer means: the labels it gives, joined by a bar; `abstained` "
            "where the question was left out; null where the value speaks for itself, and after an "
            "erasure"
        ),
    ]
    seconds: Annotated[
        float | None, Meta(description="how long the answer took; null where nobody knows")
    ]
    pastes: Annotated[
        int | None,
        Meta(
            description="how often something was pasted into an answer in words; null for other "
            "answers, and where the page did not say"
        ),
    ] = None
    pasted: Annotated[
        int | None, Meta(description="how many characters were pasted; null as `pastes` is")
    ] = None
    active: Annotated[
        float | None,
        Meta(
            description="for how many of the `seconds` the page was in view and in use, never more "
            "than these; null where the page did not say"
        ),
    ] = None
    superseded: Annotated[bool, Meta(description="whether a later answer replaces it")]
    time: Annotated[float, Meta(description="when it was given")]
    study_version: Annotated[
        int | None,
        Meta(
            description="the version of the study file that was served when it was given; null where "
            "nobody knows"
        ),
    ] = None


class TidyLabel(LabelRecord, frozen=True, kw_only=True):
    """A row of the tidy table, with the label's id; `value` is null if abstained or erased.

    `dialogue`, `seq` and `turn` are null for a pair, `seq` and `turn` for a whole dialogue.
    """

    id: int
    purpose: Purpose
    rater_kind: RaterKind
    label: str | None
    abstained: bool
    erased: bool


class PlacedLabel(TidyLabel, frozen=True, kw_only=True):
    """One label on a dialogue, standing or not, with everything needed to show it in its place."""

    supersedes: int | None
    abandoned: bool
    excluded: bool
    place: UnitPlace


class RaterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `raters.jsonl`: who labelled in a study, and whether the study counts it."""

    study: StudyName
    rater: Annotated[str, Meta(description="the rater's key, as in the labels")]
    rater_name: Annotated[str, Meta(description="what people call the rater here, such as P07")] = (
        ""
    )
    rater_kind: Annotated[str, Meta(description="`person`, `model`, `simulated` or `anonymous`")]
    labels: Annotated[int, Meta(description="how many labels are theirs, superseded ones included")]
    excluded: Annotated[
        bool, Meta(description="whether the study leaves this rater out of its numbers")
    ]
    first_time: Annotated[float, Meta(description="when their first label was given")]
    last_time: Annotated[float, Meta(description="when their last label was given")]


class QuestionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `questions.jsonl`: a question of a study as it stands, with all that it says."""

    study: StudyName
    question: Annotated[str, Meta(description="its name")]
    question_version: Annotated[
        str, Meta(description="its version, as in the labels; older labels may carry another")
    ]
    kind: Annotated[str, Meta(description="its kind: `likert`, `choice`, `comparative` …")]
    about: Annotated[str, Meta(description="what it judges: `dialogue`, `turn` or `pair`")]
    level: Annotated[
        str,
        Meta(
            description="its measurement level: `nominal`, `ordinal`, `interval`, `ratio`, "
            "`pairwise` or `text`"
        ),
    ]
    labels: Annotated[list[str], Meta(description="every label that an answer can give")]
    text: Annotated[str, Meta(description="what raters read")]
    definition: Annotated[
        dict[str, Any], Meta(description="the whole question, as a study file has it")
    ]


_encoder = msgspec.json.Encoder()
_dialogue_decoder = msgspec.json.Decoder(DialogueRecord)


def encode_line(record: msgspec.Struct) -> bytes:
    """A record as one line of JSON."""
    return _encoder.encode(record) + b"\n"


def encode_lines(records: Sequence[msgspec.Struct]) -> bytes:
    """Records as one line of JSON each."""
    return _encoder.encode_lines(records)


def decode_dialogue(line: bytes) -> DialogueRecord:
    """A line of `dialogues.jsonl`."""
    return _dialogue_decoder.decode(line)
