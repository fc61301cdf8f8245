"""Links with names: made, listed and revoked, and what a revoked one means at the door.

A link is not stored but made again from the person, the study and the time it was made: replacing the
key that signs gives the same people new addresses.
"""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, MissingError
from palaver.core.studies.links import MOST_NAME, KeptLink, KeptLinkList
from palaver.crowds.links import new_person, sign_link
from palaver.storage.audit.entries import record
from palaver.storage.people import links

# How many may be made at once, and be kept for one study.
MOST_NAMES = 500
MOST_KEPT = 10_000
MOST_HOURS = 24.0 * 366


def make_named_links(
    connection: Connection,
    secret: str,
    study_id: int,
    study: str,
    names: Sequence[str],
    *,
    hours: float,
    base: str,
    actor: Actor,
    now: float,
) -> KeptLinkList:
    """A link for each name, kept; InputError if a name cannot be one, or there are too many."""
    checked = _checked(names)
    if not 0 < hours <= MOST_HOURS:
        raise InputError(
            f"A link works for more than 0 and up to {MOST_HOURS:g} hours; got {hours:g}."
        )
    if links.count_links(connection, study_id) + len(checked) > MOST_KEPT:
        raise InputError(
            f"At most {MOST_KEPT:,} links with names are kept for one study. Make links without "
            "names, which are not kept."
        )
    made = float(int(now))  # as the link carries it
    links.add_links(
        connection,
        study_id,
        [(new_person(), name) for name in checked],
        account=actor.name,
        made=made,
        expires=made + hours * 3600,
    )
    record(
        connection,
        "links.make",
        by=actor,
        now=now,
        subject=study,
        study_id=study_id,
        detail={"links": len(checked), "named": True},
    )
    found = list_links(connection, secret, study_id, study, base=base, now=now)
    return KeptLinkList(found.links[: len(checked)][::-1])


def list_links(
    connection: Connection, secret: str, study_id: int, study: str, *, base: str, now: float
) -> KeptLinkList:
    """The links of a study that are kept, newest first."""
    found = links.links_of(connection, study_id, now=now)
    return KeptLinkList(tuple(_with_address(each, secret, study, base=base) for each in found))


def find_link(
    connection: Connection,
    secret: str,
    study_id: int,
    study: str,
    link: str,
    *,
    base: str,
    now: float,
) -> KeptLink:
    """A link of a study by its number or by its name; MissingError if there is not exactly one."""
    found = list_links(connection, secret, study_id, study, base=base, now=now).links
    meant = [each for each in found if str(each.id) == link]
    meant = meant or [each for each in found if each.name == link and each.name]
    if len(meant) != 1:
        many = "Several links are" if meant else "No link is"
        raise MissingError(
            f"{many} called '{link[:80]}' in '{study}'. Give the number that the list of links shows."
        )
    return meant[0]


def revoke_link(
    connection: Connection,
    secret: str,
    study_id: int,
    study: str,
    link: str,
    *,
    base: str,
    actor: Actor,
    now: float,
) -> KeptLink:
    """Revoke a link: nobody begins with it any more; a visit that began goes on."""
    meant = find_link(connection, secret, study_id, study, link, base=base, now=now)
    if links.revoke(connection, study_id, meant.id, now=now):
        record(
            connection,
            "links.revoke",
            by=actor,
            now=now,
            subject=study,
            study_id=study_id,
            detail={"link": meant.id},
        )
    return find_link(connection, secret, study_id, study, str(meant.id), base=base, now=now)


def names_in(text: str) -> list[str]:
    """The names of a list that was pasted, one per line; empty lines do not count.

    >>> names_in(" Anna\\n\\nBen ")
    ['Anna', 'Ben']
    """
    return [line.strip() for line in text.splitlines() if line.strip()]


def _checked(names: Sequence[str]) -> list[str]:
    given = [name.strip() for name in names]
    if not 1 <= len(given) <= MOST_NAMES:
        raise InputError(f"1 to {MOST_NAMES} names can be given at once; got {len(given):,}.")
    for name in given:
        if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
            raise InputError(
                f"The name of a link is one line of 1 to {MOST_NAME} characters; got "
                f"'{name[:MOST_NAME]}'."
            )
    return given


def _with_address(link: KeptLink, secret: str, study: str, *, base: str) -> KeptLink:
    """A link with the address that it has, as long as it leads somewhere."""
    if link.person is None or link.state not in ("open", "used"):
        return link
    token = sign_link(secret, study=study, person=link.person, made=link.made)
    return replace(link, address=f"{base.rstrip('/')}/s/{quote(study)}?link={token}")
