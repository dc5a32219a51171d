"""Which mailbox an e-mail address reaches: limits count mailboxes, because one mailbox has endless addresses."""

_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(address: str) -> str:
    """The mailbox of `address`: without case and subaddress (RFC 5233), for Gmail without dots too.

    It serves to compare and count, never to write to: what a provider does with case and `+` is its own affair. Text
    that is no address is its own mailbox.
    """
    local, _, domain = address.strip().casefold().rpartition("@")
    local, domain = local.partition("+")[0] or local, domain.rstrip(".")
    if domain in _GMAIL:
        local, domain = local.replace(".", ""), "gmail.com"
    return f"{local}@{domain}" if local else domain
