"""Whom a request comes from when our own proxies stand in front."""


def sender(peer: str | None, forwarded_for: str, hops: int) -> str:
    """The visitor's address: the connection's, or what our own `hops` proxies appended to X-Forwarded-For.

    Entries in front of those are the visitor's own claims and never count. Empty when nothing is known.
    """
    forwarded = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if hops and len(forwarded) >= hops:
        return forwarded[-hops]
    return peer or ""
