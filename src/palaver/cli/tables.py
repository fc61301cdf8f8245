"""Tables in a terminal."""

from collections.abc import Container, Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]], *, left: Container[int] | None = None) -> Iterator[str]:
    """Rows as lines whose columns are equally wide.

    The columns numbered in `left` are set to the left and the others to the right; without it, all
    are set to the left.

    >>> list(aligned([["system", "n"], ["a", "12"]], left={0}))
    ['system   n', 'a       12']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if left is None or n in left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows as one text, all columns set to the left."""
    return "\n".join(aligned(rows))
