"""The ChatEvaluationPlatform's `*_units.json`: how many raters each group of dialogues gets."""

from typing import Any

import msgspec

from palaver.formats.json_places import place_at, place_of
from palaver.formats.line_problems import LineProblems


def read_rater_counts(content: bytes, line_problems: LineProblems) -> dict[str, int]:
    """The count of each group; 0 leaves the group out. What is wrong goes to `line_problems`."""
    data = decode_document(content, line_problems)
    text = content.decode("utf-8-sig", "replace")
    if data is not None and not isinstance(data, dict):
        line_problems.add('Expected a mapping of group to count: {"group-1": 2, …}.')
    counts: dict[str, int] = {}
    for group, count in data.items() if isinstance(data, dict) else ():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            line, column = place_of(text, (group,))
            message = f"Group '{group}' takes a whole number, 0 or more; got {count!r}."
            line_problems.add(message, line=line, column=column)
        else:
            counts[group] = count
    return counts


def decode_document(content: bytes, line_problems: LineProblems) -> Any:
    """A whole file of JSON, with or without a byte-order mark; None where it is not JSON."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        line_problems.add("Not UTF-8 text.")
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        reason, _, byte = str(error).removeprefix("JSON is malformed: ").partition(" (byte ")
        offset = int(byte.rstrip(")")) if byte.rstrip(")").isdecimal() else 0
        index = len(text.encode()[:offset].decode("utf-8", "replace"))
        line, column = place_at(text, index)
        line_problems.add(f"Not JSON: {reason}.", line=line, column=column)
        return None
