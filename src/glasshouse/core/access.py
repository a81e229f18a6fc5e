"""Who may come in: the key, and the sign-ins of browsers that showed it or a one-time code."""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import timedelta

from glasshouse.contract.errors import Unauthorized
from glasshouse.contract.question import Door
from glasshouse.core.ports import Clock, Store

SIGN_IN_LIFETIME = timedelta(days=30)
# A code that a terminal has made for itself begins with this, and so does the token that it is spent for. Both are
# good only as they were given out, so nobody else can put it in front.
TERMINAL = "cli."


class Access:
    def __init__(self, *, key: str, spend_code: Callable[[str], bool], store: Store, clock: Clock) -> None:
        self._key = _digest(key)
        self._spend_code = spend_code
        self._store = store
        self._clock = clock
        self._sign_ins: dict[str, float] = {}

    async def load(self) -> None:
        now = self._clock.now().timestamp()
        for token_hash, expires_at in (await self._store.sign_ins()).items():
            if expires_at > now:
                self._sign_ins[token_hash] = expires_at
            else:
                await self._store.remove_sign_in(token_hash)

    def is_key(self, given: str) -> bool:
        # Digests are of one length and say nothing of the key: the comparison tells neither its length nor a prefix.
        return hmac.compare_digest(_digest(given), self._key)

    def door_of(self, token: str) -> Door | None:
        """By which door its holder came in; None if nobody is let in with it."""
        if not self.is_signed_in(token):
            return None
        return Door.CLI if token.startswith(TERMINAL) else Door.CONSOLE

    def is_signed_in(self, token: str) -> bool:
        expires_at = self._sign_ins.get(_digest(token))
        return expires_at is not None and self._clock.now().timestamp() < expires_at

    async def sign_in(self, key_or_code: str) -> str:
        """A token for the browser, or for the terminal whose code it was. Raises Unauthorized."""
        is_key = self.is_key(key_or_code)
        if not is_key and not await asyncio.to_thread(self._spend_code, key_or_code):
            raise Unauthorized
        front = TERMINAL if not is_key and key_or_code.startswith(TERMINAL) else ""
        token = front + secrets.token_urlsafe(32)
        expires_at = (self._clock.now() + SIGN_IN_LIFETIME).timestamp()
        await self._store.add_sign_in(_digest(token), expires_at)
        self._sign_ins[_digest(token)] = expires_at
        return token

    async def sign_out(self, token: str) -> None:
        self._sign_ins.pop(_digest(token), None)
        await self._store.remove_sign_in(_digest(token))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
