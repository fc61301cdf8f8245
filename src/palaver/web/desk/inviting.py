"""New links for participants."""

from urllib.parse import quote

from starlette.requests import HTTPConnection

from palaver.core.errors import InputError
from palaver.crowds.links import new_person, sign_link

MOST_LINKS = 500


def make_links(secret: str, *, study: str, count: int, base: str) -> tuple[str, ...]:
    """This many links, each for one person; InputError if that is too many or none."""
    if not 1 <= count <= MOST_LINKS:
        raise InputError(f"1 to {MOST_LINKS} links can be made at once; got {count}.")
    return tuple(
        f"{base}/s/{quote(study)}?link={sign_link(secret, study=study, person=new_person())}"
        for _ in range(count)
    )


def public_base(connection: HTTPConnection, public_url: str = "") -> str:
    """The address people reach this server at, without a slash at its end."""
    return (public_url or str(connection.base_url)).rstrip("/")
