"""Words and their numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from palaver.core.errors import InputError

UNKNOWN = "<unk>"


class Vocabulary:
    """Words by number and numbers by word; what is not known is one class."""

    def __init__(self, words: Sequence[str]) -> None:
        if not words:
            raise InputError(
                "The vocabulary is empty: nothing was read, or all words are too rare."
            )
        self.words = list(words)
        self._numbers = {word: number for number, word in enumerate(words)}
        if len(self._numbers) != len(self.words):
            raise InputError("The vocabulary lists a word twice.")

    @classmethod
    def of(
        cls,
        texts: Iterable[Iterable[str]],
        *,
        marks: Sequence[str] = (UNKNOWN,),
        least: int = 1,
        most: int | None = None,
    ) -> "Vocabulary":
        """The words that occur `least` times or more, the most frequent first, after the marks."""
        counts = Counter(word for text in texts for word in text)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        kept = [word for word, count in ranked if count >= least and word not in marks][:most]
        if not kept:
            seen = f"{len(counts):,} words were seen" if counts else "no word was seen"
            raise InputError(
                f"The vocabulary is empty: {seen}, none of them {least} times. Is it the right file?"
            )
        return cls([*marks, *kept])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._numbers

    def number(self, word: str) -> int:
        """The number of a word; of an unknown one that of `<unk>`, where there is one."""
        found = self._numbers.get(word)
        return self._numbers[UNKNOWN] if found is None else found

    def numbers(self, words: Iterable[str]) -> list[int]:
        return [self.number(word) for word in words]
