"""People who may not take part: a file with one id per line, or with pseudonyms in their place.

The file is read again when it has changed, so that somebody can be added while a study is served.
"""

from functools import lru_cache
from pathlib import Path

from palaver.core.errors import InputError
from palaver.formats.masking import origin_pseudonym
from palaver.studies.file.definition import Study
from palaver.studies.stages.parts import path_of


def is_blocked(study: Study, person: str) -> bool:
    """Whether the file of the study names this person, plainly or by pseudonym."""
    file = path_of(study.crowd.blocked, study.folder)
    if file is None:
        return False
    try:
        changed = file.stat().st_mtime_ns
        blocked = _read(file, changed)
    except (OSError, UnicodeDecodeError) as error:
        # Letting everybody in would be worse than letting nobody in.
        raise InputError(
            "This study cannot be joined: its list of blocked people is missing."
        ) from error
    salt = study.crowd.blocked_salt
    return person in blocked or (salt is not None and origin_pseudonym(salt, person) in blocked)


@lru_cache(maxsize=64)
def _read(file: Path, changed: int) -> frozenset[str]:
    lines = (line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines())
    return frozenset(line for line in lines if line)
