"""What is wrong with a data set: the first problems with their lines, and how many more there are."""

from palaver.core.errors import InputError, Problem

MOST = 20


class DatasetError(InputError):
    """A data set that was not stored; `problems` holds the first ones, `count` is all of them."""

    def __init__(self, problems: list[Problem], count: int) -> None:
        more = [f"… and {count - len(problems):,} more."] if count > len(problems) else []
        lines = [f"{each.file}:{each.line}: {each.message}" for each in problems]
        super().__init__("\n".join([*lines, *more, "Nothing was stored."]))
        self.problems = problems
        self.count = count


class Problems:
    """The problems found so far."""

    def __init__(self) -> None:
        self.first: list[Problem] = []
        self.count = 0

    def add(self, file: str, line: int, message: str) -> None:
        """Something is wrong with the record that begins in this line."""
        self.count += 1
        if len(self.first) < MOST:
            self.first.append(Problem(file, line, 1, message))

    def raise_any(self) -> None:
        """DatasetError if anything is wrong."""
        if self.count:
            raise DatasetError(self.first, self.count)
