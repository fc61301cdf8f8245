"""A masker: the one door through which texts pass under `--mask`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from palaver.formats.masking.birth_dates import find_birth_dates
from palaver.formats.masking.emails import find_emails, written_emails
from palaver.formats.masking.finds import Find, Masked, masked, merged
from palaver.formats.masking.handles import find_handles
from palaver.formats.masking.identifiers import find_identifiers
from palaver.formats.masking.known_names import KnownNames
from palaver.formats.masking.links import find_links
from palaver.formats.masking.names import find_names
from palaver.formats.masking.networks import find_machines
from palaver.formats.masking.numbers import find_numbers
from palaver.formats.masking.postcodes import find_postcodes
from palaver.formats.masking.reading import read
from palaver.formats.masking.streets import find_streets

_NOBODY = KnownNames()


def find_details(text: str, known: KnownNames = _NOBODY) -> tuple[Find, ...]:
    """The personal details of a text, in order and without overlaps."""
    reading = read(text)
    found = [*find_names(reading)]
    if known:
        found += known.find(reading)
    found += find_emails(reading)
    found += find_handles(reading)
    found += find_links(reading)
    if reading.digits:
        streets = [*find_streets(reading)]
        found += streets
        found += find_postcodes(reading, streets)
        found += find_machines(reading)
        found += find_identifiers(reading)
        found += find_numbers(reading)
    found += find_birth_dates(reading)
    return merged(found) if found else ()


def mask(text: str) -> str:
    """The text with a placeholder in place of each personal detail.

    >>> mask("I'm Ann, write to ann@example.org or call 020 7946 0018")
    "I'm [name], write to [email] or call [phone]"
    """
    return masked(text, find_details(text)).text


class Masker:
    """Masks texts with the names that are known, and counts what it masked by kind."""

    def __init__(self, known: KnownNames = _NOBODY, counts: Counter[str] | None = None) -> None:
        self._known = known
        self.counts: Counter[str] = Counter() if counts is None else counts

    def masked(self, text: str) -> Masked:
        """The text with placeholders, and where they stand."""
        found = self.found(text)
        self.counts.update(find.kind for find in found.finds)
        return found

    def found(self, text: str) -> Masked:
        """The same, without counting it."""
        return masked(text, find_details(text, self._known))

    def text(self, text: str) -> str:
        return self.masked(text).text

    def value(self, value: Any) -> Any:
        """The value with every string in it masked, however deep; keys stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.value(inner) for inner in value)
        return value

    def id(self, id: str | None) -> str | None:
        """A name out of a file: addresses go; a number stays, or nothing could be joined by it."""
        if id is None or ("@" not in id and "＠" not in id):
            return id
        found = masked(id, merged(written_emails(id)))
        self.counts.update(find.kind for find in found.finds)
        return found.text

    def with_names_in(self, texts: Iterable[str]) -> "Masker":
        """A masker that also knows the names which are said in these texts; both count together."""
        said = {text[f.start : f.end] for text in texts for f in merged(find_names(read(text)))}
        return Masker(self._known.with_names(said), self.counts) if said else self
