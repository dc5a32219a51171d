"""`python -m agency_site.mpesa.registration 254712345678`: register the shortcode for Pull Transactions.

Once in the life of a shortcode, after Safaricom has enabled the product; Safaricom notifies that phone. Then set
AGENCY_MPESA_PULL_TRANSACTIONS=on.
"""

import argparse
import asyncio
import sys

from agency_site.mpesa.client import MemoryTokenStore, client_from
from agency_site.mpesa.errors import MpesaError
from agency_site.settings import settings


def main(arguments: list[str] | None = None) -> int:
    """Register; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m agency_site.mpesa.registration", description=__doc__)
    parser.add_argument("phone", help="12 digits, such as 254712345678")
    phone: str = parser.parse_args(arguments).phone
    try:
        sys.stdout.write(f"{asyncio.run(register(phone))}\n")
    except MpesaError as error:
        sys.stderr.write(f"M-Pesa refused: {error}\n")
        return 1
    return 0


async def register(phone: str) -> str:
    """What Daraja says of the registration. Raises MpesaError."""
    async with client_from(settings(), MemoryTokenStore()) as client:
        return await client.register_pull(phone, settings().callback_base_url + "/")


if __name__ == "__main__":
    sys.exit(main())
