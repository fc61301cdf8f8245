"""Numbers that come from outside: in an address, a form, a cookie or a frame.

A database keeps 32 or 64 bits and Python as many as one likes, so that a number of twenty digits
passes every check of ours and fails in the store. Whatever reads a whole number from a text reads it
here.
"""

# What a column of whole numbers keeps on every database.
LARGEST = 2**31 - 1


def whole_number(given: object, *, least: int = 0, most: int = LARGEST) -> int | None:
    """The whole number that a text writes in plain digits; None if it is not one, or out of bounds.

    >>> whole_number("12"), whole_number("9" * 20), whole_number("-1"), whole_number("٣")
    (12, None, None, None)
    """
    text = given if isinstance(given, str) else ""
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None
