"""Bodies and form fields of HTTP requests, read up to a limit."""

from urllib.parse import parse_qs

from starlette.requests import Request

from agency_site.errors import InputRejected

_MAX_FIELDS = 20


async def read_body(request: Request, limit: int) -> bytes:
    """Return the whole body. Raises InputRejected above `limit` bytes."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise InputRejected("That is more than this form takes.")
    return body


async def read_form_fields(request: Request, limit: int) -> dict[str, str]:
    """Return the fields of a submitted form, the first value of each. Raises InputRejected for a body that is no form."""
    body = await read_body(request, limit)
    try:
        fields = parse_qs(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="replace"
        )
    except ValueError:
        raise InputRejected("This form could not be read. Please try again.") from None
    return {name: values[0] for name, values in fields.items()}
