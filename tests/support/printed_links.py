"""A researcher who follows every link that a command printed."""

import html
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

LINK = re.compile(r"https?://[^\s\"'<>,]+")
PASSWORD = re.compile(r"one-time password: (\S+)")
CHOSEN = "a better password"


@dataclass(frozen=True)
class Answer:
    """What came back at the end of all redirects."""

    status: int
    url: str
    text: str


class Reader:
    """A browser without scripts: cookies, redirects and forms."""

    def __init__(self) -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def get(self, url: str, form: dict[str, str] | None = None) -> Answer:
        """The page at an address; with `form`, what sending it leads to."""
        data = None if form is None else urlencode(form).encode()
        try:
            with self._opener.open(url, data, timeout=60) as response:
                return Answer(response.status, response.url, response.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, url, error.read().decode())

    def send(self, page: Answer, **fields: str) -> Answer:
        """Fill in and send the only form that a page posts."""
        hidden = re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', page.text)
        action = re.search(r'<form method="post" action="([^"]+)"', page.text)
        assert action is not None, page.text
        where = urlsplit(page.url)._replace(path=html.unescape(action[1]), query="").geturl()
        known = {name: html.unescape(value) for name, value in hidden}
        return self.get(where, {**known, **fields})

    def sign_in(self, desk: str, password: str) -> Answer:
        """Sign in as the owner with a one-time password, and choose another."""
        entered = self.send(self.get(desk), name="owner", password=password)
        return self.send(entered, password=CHOSEN, again=CHOSEN)


def follow_links(printed: str) -> dict[str, int]:
    """Every address in what was printed, with the status of its page for whoever may see it."""
    links = LINK.findall(printed)
    reader = Reader()
    password = PASSWORD.search(printed)
    if password is not None:
        desk = next(link for link in links if link.endswith("/desk"))
        signed_in = reader.sign_in(desk, password[1])
        assert (signed_in.status, signed_in.url) == (200, desk), signed_in.text
    return {link: reader.get(link).status for link in links}
