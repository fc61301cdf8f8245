"""Links that invite people to a study: signed, each for one person, not kept."""

from dataclasses import dataclass
from urllib.parse import quote

from palaver.core.errors import InputError
from palaver.crowds.links import new_person, sign_link
from palaver.studies.definition import Study

MOST_LINKS = 10_000


@dataclass(frozen=True, slots=True)
class LinkList:
    """Links for participants, each for one person; they are not kept."""

    links: tuple[str, ...]
    hours: float


def make_links(secret: str, study: Study, *, count: int, base: str) -> LinkList:
    """This many links to a study; `base` is the address people reach the server at."""
    if not 1 <= count <= MOST_LINKS:
        raise InputError(f"1 to {MOST_LINKS:,} links can be made at once; got {count:,}.")
    links = (_link(secret, study.name, base=base.rstrip("/")) for _ in range(count))
    return LinkList(tuple(links), study.crowd.link_hours)


def _link(secret: str, study: str, *, base: str) -> str:
    return f"{base}/s/{quote(study)}?link={sign_link(secret, study=study, person=new_person())}"
