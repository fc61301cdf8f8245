"""Signing in, passwords, and the settings with their accounts and tokens."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.accounts import ROLES, Account, Token
from palaver.web.desk.pages.shell import DeskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """Posts `name`, `password` and `next` to `action`."""

    template: ClassVar[str] = "researcher/sign_in.html"
    shell: DeskShell
    action: str
    target: str
    name: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPasswordPage:
    """A one-time password must be replaced. Posts `password` and `again` to `action`."""

    template: ClassVar[str] = "researcher/new_password.html"
    shell: DeskShell
    action: str
    least: int
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A password or token that is shown this once."""

    title: str
    value: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPage:
    """Own password and tokens; for owners also the accounts and everybody's tokens."""

    template: ClassVar[str] = "researcher/settings.html"
    roles: ClassVar[tuple[str, ...]] = ROLES
    shell: DeskShell
    role: str
    is_owner: bool
    base: str
    least: int
    most_days: int
    # The account of whoever looks; 0 for nobody.
    own: int
    now: float
    accounts: list[Account]
    tokens: list[Token]
    token_roles: tuple[str, ...]
    secret: Secret | None = None
    done: str = ""
    # Which form was wrong (password, account, role, token), and how.
    error_in: str = ""
    error: str = ""
