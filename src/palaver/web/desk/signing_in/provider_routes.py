"""Signing in at an OpenID Connect provider: out to it, and back with a code."""

import asyncio
import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.accounts.identities import account_of_identity
from palaver.accounts.openid import REFUSED, Provider, SignInAttempt, new_attempt
from palaver.accounts.passwords import hash_password
from palaver.core.errors import AccessError
from palaver.core.timed import read_timed, sign_timed
from palaver.web.desk.accounts import (
    HOME,
    SIGN_IN,
    check_writable,
    deployment_of,
    root_of,
    safe_target,
)
from palaver.web.desk.signing_in.routes import PROVIDER, let_in, record_attempt, sign_in_form
from palaver.web.rendering import show
from palaver.web.security import public_base, secure_cookie

BACK = f"{SIGN_IN}/callback"
# What binds an attempt to the browser that began it.
COOKIE, SALT = "pv_provider", "palaver.provider"
SECONDS = 600


async def go_to_provider(request: Request) -> Response:
    """Send a browser to the provider, with an attempt of its own."""
    deployment = deployment_of(request)
    check_writable(deployment)
    target, attempt = safe_target(request.query_params.get("next", HOME)), new_attempt()
    try:
        url = await _provider(request).sign_in_url(
            attempt, back=_back(request), now=deployment.clock.now()
        )
    except AccessError as error:
        return show(request, sign_in_form(request, target, error=str(error)), status=502)
    response = RedirectResponse(url, status_code=303)
    begun = [attempt.state, attempt.nonce, attempt.verifier, target]
    signed = sign_timed(deployment.secret, SALT, begun)
    options = secure_cookie(request, path=SIGN_IN, max_age=SECONDS)
    response.set_cookie(COOKIE, signed, **options)
    return response


async def come_back(request: Request) -> Response:
    """Sign in whoever the provider says came back; every attempt works once."""
    deployment = deployment_of(request)
    check_writable(deployment)
    provider, target = _provider(request), HOME
    try:
        attempt, target = _attempt(request)
        identity = await provider.identify(
            attempt,
            state=request.query_params.get("state", "")[:200],
            code=request.query_params.get("code", "")[:2000],
            back=_back(request),
            now=deployment.clock.now(),
        )
        unknown = await asyncio.to_thread(hash_password, secrets.token_urlsafe(32))
        now, role = deployment.clock.now(), provider.settings.role
        account = await deployment.store.write(
            lambda c: account_of_identity(c, identity, role=role, password_hash=unknown, now=now)
        )
        response = await let_in(request, account, target, proof=identity.nonce)
    except AccessError as error:
        await record_attempt(request, "", passed=False)
        response = show(request, sign_in_form(request, target, error=str(error)), status=403)
    response.delete_cookie(COOKIE, **secure_cookie(request, path=SIGN_IN))
    return response


def _attempt(request: Request) -> tuple[SignInAttempt, str]:
    """The attempt that this browser began, and where it wanted to go."""
    signed = read_timed(deployment_of(request).secret, SALT, request.cookies.get(COOKIE, ""))
    if signed is None or not signed.is_good(SECONDS):
        raise AccessError(REFUSED)
    state, nonce, verifier, target = signed.content
    return SignInAttempt(state, nonce, verifier), safe_target(target)


def _provider(request: Request) -> Provider:
    """The provider of the settings; 404 where there is none."""
    settings = request.app.state.settings.provider
    if settings is None:
        raise HTTPException(404)
    kept = deployment_of(request).kept
    if Provider not in kept:
        kept[Provider] = Provider(settings)
    found: Provider = kept[Provider]
    return found


def _back(request: Request) -> str:
    return public_base(request, request.app.state.settings.public_url) + root_of(request) + BACK


routes: list[BaseRoute] = [
    Route(PROVIDER, go_to_provider, methods=["GET"]),
    Route(BACK, come_back, methods=["GET"]),
]
