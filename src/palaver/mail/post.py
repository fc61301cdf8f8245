"""One letter handed to the mail server: written out as plain text, and what the server said to it.

The answers of SMTP say whose fault it is. A refusal of the recipient or of the text is the letter's:
for good (5xx) or for now (4xx). Everything before that (the connection, encryption, the password, the
sender) concerns every letter, so it is the server's.
"""

import hashlib
import smtplib
import ssl
from collections.abc import Callable
from contextlib import suppress
from email import policy
from email.message import EmailMessage
from email.utils import formatdate

from palaver.core.errors import PalaverError
from palaver.core.letters import Letter
from palaver.mail.server import MailServer

# Each step of sending a letter; there are some ten.
STEP_SECONDS = 30.0


class PostponedError(PalaverError):
    """The letter was not taken now; later it may be."""


class RefusedError(PalaverError):
    """The letter will never be taken."""


class MailServerError(PalaverError):
    """The mail server cannot be used: no letter would be taken."""


class Post:
    """A way to the mail server, opened with the first letter and kept for the next ones."""

    def __init__(
        self,
        server: MailServer,
        *,
        trust: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._server = server
        self._trust = trust
        self._smtp: smtplib.SMTP | None = None

    def send(self, letter: Letter) -> None:
        """Hand a letter over; PostponedError, RefusedError or MailServerError if that failed."""
        try:
            content = written_out(letter, self._server.sender).as_bytes()
        except ValueError as error:
            raise RefusedError(f"The letter cannot be written as mail: {_why(error)}") from error
        smtp = self._opened()
        try:
            # Not send_message, which writes ">From" for lines that begin with "From".
            smtp.sendmail(
                self._server.sender, [letter.recipient], content, mail_options=_wishes(letter)
            )
        except smtplib.SMTPRecipientsRefused as error:
            raise _of_letter(*error.recipients[letter.recipient]) from error
        except smtplib.SMTPDataError as error:
            raise _of_letter(error.smtp_code, error.smtp_error) from error
        except smtplib.SMTPNotSupportedError as error:
            raise RefusedError(
                f"The mail server {self._server} cannot send to {letter.recipient}: it takes "
                "addresses in ASCII alone."
            ) from error
        except smtplib.SMTPSenderRefused as error:
            self.close()
            raise MailServerError(
                f"The mail server {self._server} sends nothing from {self._server.sender}: "
                f"{_said(error.smtp_code, error.smtp_error)}"
            ) from error
        except (OSError, smtplib.SMTPException) as error:
            # Perhaps because of this letter, so it counts. Nobody knows whether the letter was taken;
            # it is sent again with the same Message-ID.
            self.close()
            raise PostponedError(
                f"The mail server {self._server} hung up: {_why(error)}"
            ) from error

    def close(self) -> None:
        """Say goodbye; the next letter opens another way."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                smtp.quit()
            smtp.close()

    def _opened(self) -> smtplib.SMTP:
        if self._smtp is not None and self._answers(self._smtp):
            return self._smtp
        self.close()
        try:
            self._smtp = self._connected()
        except smtplib.SMTPAuthenticationError as error:
            raise MailServerError(
                f"The mail server {self._server} refuses the user '{self._server.user}': "
                f"{_said(error.smtp_code, error.smtp_error)} Check PALAVER_SMTP_PASSWORD."
            ) from error
        except (OSError, smtplib.SMTPException) as error:
            raise MailServerError(
                f"The mail server {self._server} cannot be reached: {_why(error)}"
            ) from error
        return self._smtp

    def _answers(self, smtp: smtplib.SMTP) -> bool:
        try:
            return smtp.noop()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False

    def _connected(self) -> smtplib.SMTP:
        server = self._server
        if server.is_tls:
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=STEP_SECONDS, context=self._trust()
            )
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=STEP_SECONDS)
        try:
            self._introduce(smtp)
        except BaseException:
            smtp.close()
            raise
        return smtp

    def _introduce(self, smtp: smtplib.SMTP) -> None:
        server = self._server
        smtp.ehlo()
        if not server.is_tls and not server.is_local:
            if smtp.has_extn("starttls"):
                smtp.starttls(context=self._trust())
                smtp.ehlo()
            elif server.password:
                raise MailServerError(
                    f"The mail server {server} offers no encryption, and a password is not sent "
                    "in the clear. Use smtps:// or another port."
                )
        if server.password:
            smtp.login(server.user, server.password)


def written_out(letter: Letter, sender: str) -> EmailMessage:
    """A letter as mail: UTF-8, plain text, and the same Message-ID whenever it is sent."""
    message = EmailMessage(policy=policy.SMTP.clone(utf8=bool(_wishes(letter))))
    message["From"] = sender
    message["To"] = letter.recipient
    message["Subject"] = letter.subject
    message["Date"] = formatdate(letter.created)
    message["Message-ID"] = message_id(letter.key, sender)
    # Nobody's holiday message is to be sent back to the server.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text, charset="utf-8", cte="quoted-printable")
    return message


def message_id(key: str, sender: str) -> str:
    """The Message-ID of the letter with this key; mail programs show a second copy as the same."""
    mark = hashlib.sha256(key.encode()).hexdigest()[:32]
    return f"<{mark}@{sender.rpartition('@')[2]}>"


def _wishes(letter: Letter) -> list[str]:
    """What the mail server must know to send to an address that is not ASCII."""
    return [] if letter.recipient.isascii() else ["SMTPUTF8", "BODY=8BITMIME"]


def _of_letter(code: int, said: bytes | str) -> PalaverError:
    return (RefusedError if code >= 500 else PostponedError)(_said(code, said))


def _said(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())[:300]}".rstrip(".") + "."


def _why(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".") + "."
