"""Partner marks of the 'Our Esteemed Clients' strip: placeholder names until real ones arrive."""

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Record

HEADING = "Our Esteemed Clients"
INTRO = (
    "We grow by collaborating with industry leaders: growers and lenders, clinics and hotels, and the county offices that "
    "keep all of them on their toes."
)


class Partner(Record):
    """One client whose mark may be shown."""

    id: str
    name: str
    logo: str
    """File name under `/images/`, or the address of a picture that staff have uploaded."""

    @property
    def logo_path(self) -> str:
        """The address of the logo."""
        return self.logo if self.logo.startswith("/") else f"/images/{self.logo}"


PARTNERS: tuple[Partner, ...] = tuple(
    Partner(id=str(number), name=f"Partner {number}", logo=f"partner-{number}.svg") for number in range(1, 23)
)


def partners() -> tuple[Partner, ...]:
    """Return the partners that visitors see."""
    return published(Kind.PARTNER, PARTNERS)
