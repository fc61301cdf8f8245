"""Reading what is to be judged: files of one JSON object per line, in any of the shapes we know.

Each line is recognised by its keys, whatever the lines around it are: our own (`turn_lines`), chat
messages and our export (`foreign_lines`), the ChatEvaluationPlatform's (`chateval_lines`). What is
wrong is gathered with line and column; the lines that are sound are given on.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET

from palaver.core.characters import ESCAPED, REFUSAL, has_null
from palaver.core.registry import near
from palaver.formats.chateval_lines import read_chateval_line
from palaver.formats.dialogue_texts import (
    SYSTEM_NAMES,
    USER_NAMES,
    DialogueText,
    SheetRecord,
)
from palaver.formats.foreign_lines import read_export_line, read_message_line
from palaver.formats.json_places import Steps, place_of
from palaver.formats.line_problems import FormatProblem, LineProblems, Locate, wrong_type
from palaver.formats.turn_lines import SheetLine, read_turn_line

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_decode = msgspec.json.Decoder(SheetLine).decode
_decode_anything = msgspec.json.Decoder().decode
# What a line may have at its top; the rest is let be, unless it looks like one of these.
KEYS = (
    *("id", "turns", "pair", "dialogues", "system", "persona", "ask", "answers", "group"),
    *("origin", "raters", "notice", "messages", "events", "seats", "data"),
)
# Misspelt keys are looked for in the first lines only: they are alike in all of them.
LOOKED_AT = 20


class JudgedLine(msgspec.Struct, frozen=True, gc=False):
    """A sound line: its number, its bytes (to find places in), and what it says.

    What does not come from a file of lines has `locate` instead of bytes.
    """

    number: int
    raw: bytes
    sheet: SheetRecord
    locate: Locate | None = None

    def place(self, steps: Steps) -> dict[str, int]:
        """Where a part of it stands, as `LineProblems` takes it."""
        if self.locate is not None:
            line, column = self.locate(steps)
            return {"line": line, "column": column}
        return _place(self.number, self.raw, steps)


def read_judged(lines: Iterable[bytes], line_problems: LineProblems) -> Iterator[JudgedLine]:
    """The sound lines of a file, in order; what is wrong with the others goes to `line_problems`."""
    known = _Known(line_problems)
    count = 0
    for number, line in enumerate(lines, start=1):
        raw = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if not raw.strip():
            continue
        count += 1
        try:
            if count <= LOOKED_AT:
                _look_for_misspelt_keys(number, raw, line_problems)
            sheet = known.take(number, raw, _read(raw, f"line-{count}"))
            if ESCAPED.encode() in raw and has_null(msgspec.json.decode(raw)):
                raise FormatProblem((), REFUSAL)
        except FormatProblem as problem:
            line_problems.add(problem.message, **_place(number, raw, problem.steps))
        except msgspec.ValidationError as error:
            wrong = wrong_type(error)
            line_problems.add(wrong.message, **_place(number, raw, wrong.steps))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            line_problems.add(_not_json(error), line=number, column=_column(error, raw))
        else:
            yield JudgedLine(number, raw, sheet)
        if line_problems.is_full:
            return
    if not count:
        line_problems.add("The file is empty. One JSON object per line is expected.")


def _read(raw: bytes, fallback_id: str) -> SheetRecord:
    line = _decode(raw)
    own = not (line.turns is UNSET and line.pair is UNSET and line.dialogues is UNSET)
    if line.dialogue_id is not UNSET or (line.data is not UNSET and not own):
        return read_chateval_line(raw, fallback_id, wrapped=line.dialogue_id is UNSET)
    if own:
        return read_turn_line(line, fallback_id)
    if line.messages is not UNSET:
        return read_message_line(line, fallback_id)
    if line.events is not UNSET:
        return read_export_line(raw, line)
    raise FormatProblem(
        (), "'turns' is missing. A line has 'turns', 'pair', 'dialogues', 'messages' or 'data'."
    )


class _Known:
    """What earlier lines of the file said: their names, and what each dialogue's turns were."""

    def __init__(self, line_problems: LineProblems) -> None:
        self._line_problems = line_problems
        self._sheets: dict[str, int] = {}
        self._dialogues: dict[str, tuple[int, int]] = {}
        self._speakers: set[str] = set()

    def take(self, number: int, raw: bytes, sheet: SheetRecord) -> SheetRecord:
        """The sheet, under a name of its own; FormatProblem if it contradicts an earlier line."""
        _check_names(sheet)
        if sheet.id in self._sheets:
            sheet = self._renamed(sheet)
        for part in sheet.parts:
            if part.is_pair and part.dialogues[0].id == part.dialogues[1].id:
                id = part.dialogues[0].id
                raise FormatProblem(part.steps, f"Dialogue '{id}' is compared with itself.")
            for text in part.dialogues:
                self._check_turns(number, raw, text)
        self._sheets[sheet.id] = number
        return sheet

    def _renamed(self, sheet: SheetRecord) -> SheetRecord:
        """The ChatEvaluationPlatform may ask different things of one dialogue on several lines."""
        tasks = [name for part in sheet.parts for name in part.ask or ()]
        longer = f"{sheet.id}/{'+'.join(tasks)}"
        first = self._sheets[sheet.id]
        if "/" not in sheet.id or not tasks or longer in self._sheets:
            raise FormatProblem(("id",), f"The id '{sheet.id}' was already used in line {first}.")
        return msgspec.structs.replace(sheet, id=longer)

    def _check_turns(self, number: int, raw: bytes, text: DialogueText) -> None:
        # The hottest lines of reading: they run once for every dialogue of a large file.
        texts = [turn.text for turn in text.turns]
        speakers = [turn.speaker for turn in text.turns]
        said = hash((text.system, *speakers, *texts))
        before = self._dialogues.setdefault(text.id, (said, number))
        if before[0] != said:
            raise FormatProblem(
                text.steps[:-1],
                f"Dialogue '{text.id}' has other turns (or another system) here than in line "
                f"{before[1]}. Give it another id.",
            )
        if not self._speakers.issuperset(speakers):
            self._check_speakers(number, raw, text)
        if not all(map(str.strip, texts)):
            n = next(n for n, words in enumerate(texts) if not words.strip())
            message = f"Turn {n + 1} of '{text.id}' has no words."
            self._line_problems.warn(message, **_place(number, raw, (*text.steps, n)))

    def _check_speakers(self, number: int, raw: bytes, text: DialogueText) -> None:
        for n, turn in enumerate(text.turns):
            if turn.speaker in self._speakers:
                continue
            self._speakers.add(turn.speaker)
            if turn.speaker.lower() not in USER_NAMES | SYSTEM_NAMES:
                self._line_problems.warn(
                    f"The speaker '{turn.speaker}' is treated as the system; the user is called "
                    "'user'.",
                    **_place(number, raw, (*text.steps, n)),
                )


def _check_names(sheet: SheetRecord) -> None:
    # PostgreSQL takes no null character in a text.
    if any("\0" in name for name in (sheet.id, sheet.group, *sheet.people)):
        raise FormatProblem((), "An id contains an escaped null character. Remove it.")
    if sheet.raters is not None and sheet.raters < 0:
        raise FormatProblem(("raters",), f"'raters' takes 0 or more; got {sheet.raters}.")


def _look_for_misspelt_keys(number: int, raw: bytes, line_problems: LineProblems) -> None:
    document = _decode_anything(raw)
    if not isinstance(document, dict):
        raise FormatProblem((), "A line takes one JSON object ({…}).")
    if document.keys() & {"messages", "events", "data", "dialogue_id"}:
        return
    for key in document.keys() - set(KEYS):
        if near(key, [known for known in KEYS if abs(len(known) - len(key)) < 2]):
            line_problems.warn(
                f"The key '{key}' is not read.{near(key, KEYS)}", **_place(number, raw, (key,))
            )


def _not_json(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "Nested too deeply."
    if isinstance(error, UnicodeDecodeError):
        return "Not UTF-8 text."
    reason = str(error).removeprefix("JSON is malformed: ").partition(" (byte")[0]
    return f"Not JSON: {reason}. One JSON object per line is expected."


def _column(error: Exception, raw: bytes) -> int:
    if isinstance(error, UnicodeDecodeError):
        # Its own position counts from the beginning of a text inside the line.
        return raw.decode("utf-8", "replace").find("\ufffd") + 1
    _, _, byte = str(error).partition("(byte ")
    offset = int(byte.rstrip(")")) if byte.rstrip(")").isdecimal() else 0
    return len(raw[:offset].decode("utf-8", "replace")) + 1


def _place(number: int, raw: bytes, steps: Steps) -> dict[str, int]:
    return {"line": number, "column": place_of(raw.decode("utf-8", "replace"), steps)[1]}
