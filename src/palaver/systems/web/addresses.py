"""Addresses of web services: checked, taken apart, and shown without the keys in them."""

import base64
from urllib.parse import quote, unquote, urlsplit

# What may stand unquoted in the path and query of a request.
_SAFE = "/%:@!$&'()*+,;=~-._?"


def check_url(url: str) -> str:
    """`url` itself if it is one for the web; ValueError for pydantic otherwise."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("expected an address like http://127.0.0.1:8080")
    return url


def plain_url(url: str) -> str:
    """An address without user, password and query, where keys may stand."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def target_of(url: str) -> str:
    """The path and query of an address, as they stand in a request."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return quote(target, safe=_SAFE)


def joined(base: str, path: str) -> str:
    """An address with `path` after its own, before its query."""
    parts = urlsplit(base)
    return parts._replace(path=parts.path.rstrip("/") + path).geturl()


def basic_authorization(url: str) -> str | None:
    """The Authorization header for user and password in an address."""
    parts = urlsplit(url)
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()
