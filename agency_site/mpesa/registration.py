"""`python -m agency_site.mpesa.registration 254712345678`: register the shortcode for Pull Transactions.

This is needed once for a shortcode, after Safaricom has enabled the product; Safaricom notifies that phone. Then set
AGENCY_MPESA_PULL_TRANSACTIONS=on. With `paybill` instead of the phone, the addresses for reports of payments by hand to the
Paybill are registered; repeat this after the site's address or secret has changed.
"""

import argparse
import asyncio
import sys

from agency_site.mpesa.client import MemoryTokenStore, client_from
from agency_site.mpesa.contract import PAYBILL_PATH
from agency_site.mpesa.errors import MpesaError
from agency_site.settings import settings


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m agency_site.mpesa.registration", description=__doc__)
    parser.add_argument("subject", metavar="PHONE", help="12 digits, such as 254712345678, or: paybill")
    subject: str = parser.parse_args(arguments).subject
    try:
        answer = asyncio.run(register_paybill() if subject == "paybill" else register(subject))
        sys.stdout.write(f"{answer}\n")
    except MpesaError as error:
        sys.stderr.write(f"M-Pesa refused: {error}\n")
        return 1
    return 0


async def register(phone: str) -> str:
    """Register the shortcode. Returns Daraja's text. Raises MpesaError."""
    async with client_from(settings(), MemoryTokenStore()) as client:
        return await client.register_pull(phone, settings().callback_base_url + "/")


async def register_paybill() -> str:
    """Register the addresses for reports of payments by hand. Returns Daraja's text. Raises MpesaError."""
    address = f"{settings().callback_base_url}{PAYBILL_PATH}/{settings().callback_secret}"
    async with client_from(settings(), MemoryTokenStore()) as client:
        return await client.register_paybill(address)


if __name__ == "__main__":
    sys.exit(main())
