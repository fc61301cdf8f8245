"""`conversations_needed_string`: which models, or pairs of models, and how many conversations."""

from dataclasses import dataclass

from palaver.formats.chateval.config import Config

KEY = "conversations_needed_string"
FORM = "'model:20' or 'modelA|modelB:20', several of them separated by commas"


@dataclass(frozen=True, slots=True)
class Needed:
    """One condition: the models in the order written, and how many conversations are needed."""

    models: tuple[str, ...]
    count: int


def conversations_needed(config: Config) -> list[Needed]:
    """The conditions of a configuration; StudyError where they cannot be held here."""
    written = config.blueprint.conversations_needed_string
    if written is None:
        raise config.problem(KEY, f"'{KEY}' is missing; it takes {FORM}.")
    needed = [_parse(config, part) for part in written.split(",")]
    sizes = {len(each.models) for each in needed}
    if len(sizes) > 1:
        raise config.problem(
            KEY, f"'{KEY}' mixes single models with pairs. Make two studies: one of each."
        )
    if max(sizes) > 2:
        raise config.problem(
            KEY, f"'{KEY}' names {max(sizes)} models at once; one or two can be compared here."
        )
    return needed


def _parse(config: Config, part: str) -> Needed:
    names, colon, count = part.rpartition(":")
    models = tuple(name.strip() for name in names.split("|"))
    count = count.strip()
    if not colon or not all(models) or not (count.isascii() and count.isdecimal()):
        raise config.problem(KEY, f"'{KEY}' takes {FORM}; got '{part.strip()}'.")
    return Needed(models, int(count))
