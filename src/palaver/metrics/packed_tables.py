"""A table of numbers as few bytes: what each item adds to a metric, kept beside its score."""

import zlib

import msgspec

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

# From the narrowest to the widest; a column of counts takes the first that holds it exactly.
COUNTS = ("u1", "<u2", "<i4", "<i8")
# Other numbers keep seven digits, which is plenty for a bootstrap; all of them where that is too few.
SHORT, LONG = "<f4", "<f8"
DIGITS = 1e-6
LEVEL = 6


class _Head(msgspec.Struct):
    items: int
    types: list[str]


def pack_rows(rows: Numbers) -> bytes:
    """The rows (items × columns), each column in the narrowest type that holds it, compressed.

    >>> unpack_rows(pack_rows(np.array([[1, 0.5], [0, 2]]))).tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """
    columns = [_narrow(rows[:, n]) for n in range(rows.shape[1])]
    head = msgspec.json.encode(_Head(len(rows), [column.dtype.str for column in columns]))
    body = b"".join(column.tobytes() for column in columns)
    return head + b"\n" + zlib.compress(body, LEVEL)


def unpack_rows(packed: bytes) -> Numbers:
    """The rows that were packed, as floats."""
    start, _, body = packed.partition(b"\n")
    try:
        head = msgspec.json.decode(start, type=_Head)
        content = zlib.decompress(body)
    except (msgspec.MsgspecError, zlib.error) as error:
        raise InputError(f"The stored rows of a score cannot be read: {error}.") from error
    rows: Numbers = np.empty((head.items, len(head.types)))
    place = 0
    for n, kind in enumerate(head.types):
        column = np.frombuffer(content, dtype=kind, count=head.items, offset=place)
        rows[:, n] = column
        place += column.nbytes
    return rows


def _narrow(column: Numbers) -> Numbers:
    for kind in COUNTS:
        with np.errstate(invalid="ignore"):
            found: Numbers = column.astype(kind)
        if np.array_equal(found, column):
            return found
    with np.errstate(over="ignore", under="ignore"):
        short: Numbers = column.astype(SHORT)
    if np.allclose(short, column, rtol=DIGITS, atol=0):
        return short
    long: Numbers = column.astype(LONG)
    return long
