"""The cookie of a visit: this browser may act for this assignment.

One cookie per assignment, valid only below its own path, so that two studies in one browser do not
meet. The address alone opens nothing.
"""

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import HTTPConnection
from starlette.responses import Response

from palaver.core.errors import LinkError
from palaver.web.security import secure_cookie

COOKIE = "palaver_visit"
SALT = "palaver.visit"
DAYS = 14


def start_visit(request: HTTPConnection, response: Response, assignment: str) -> None:
    """Let this browser act for an assignment."""
    signed = _signer(request).dumps(assignment)
    options = secure_cookie(request, path=visit_path(assignment), max_age=DAYS * 86400)
    response.set_cookie(COOKIE, signed, **options)


def read_visit(connection: HTTPConnection) -> str:
    """The assignment this browser acts for; LinkError if there is none."""
    try:
        assignment: str = _signer(connection).loads(
            connection.cookies.get(COOKIE, ""), max_age=DAYS * 86400
        )
    except BadSignature as error:
        raise LinkError(
            "This browser is not signed in to this study. Open the link you were sent again."
        ) from error
    return assignment


def visit_path(assignment: str) -> str:
    """Where an assignment's pages live."""
    return f"/take/{assignment}"


def _signer(connection: HTTPConnection) -> URLSafeTimedSerializer:
    secret: str = connection.app.state.deployment.secret
    return URLSafeTimedSerializer(secret, salt=SALT)
