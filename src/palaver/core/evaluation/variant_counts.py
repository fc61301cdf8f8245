"""For how many items of a data set there are variants, and when these are too few.

Fairness and robustness are means over the items that have variants. Where these are few, the number is
right and says little about the data set: whoever shows it says so.
"""

from palaver.core.words import counted, percent

# Under this share of the items, or under this many items, variants are few.
FEW_SHARE = 0.1
FEW_ITEMS = 30


def share_covered(covered: int, items: int) -> str:
    """How many items have variants, of how many.

    >>> share_covered(3, 120)
    '3 of 120 items (2.5 %)'
    """
    return f"{covered:,} of {counted(items, 'item')} ({percent(covered / items if items else 0.0)})"


def few_variants(covered: int, items: int) -> str:
    """A warning where variants are none or few; empty where there are enough.

    >>> few_variants(3, 120)
    'variants for 3 of 120 items (2.5 %), which is too few to say much'
    >>> few_variants(0, 120)
    'variants for 0 of 120 items (0.0 %): nothing can be measured with them'
    >>> few_variants(30, 120)
    ''
    """
    said = f"variants for {share_covered(covered, items)}"
    if not covered:
        return f"{said}: nothing can be measured with them"
    if covered < FEW_ITEMS or covered < FEW_SHARE * items:
        return f"{said}, which is too few to say much"
    return ""
