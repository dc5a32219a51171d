"""Partner marks of the 'Our Esteemed Clients' strip: placeholder names until real ones arrive."""

from agency_site.content.schema import Record

HEADING = "Our Esteemed Clients"
INTRO = (
    "We grow by collaborating with industry leaders: growers and lenders, clinics and hotels, and the county offices that "
    "keep all of them on their toes."
)


class Partner(Record):
    """One client whose mark may be shown."""

    id: int
    name: str
    logo: str
    """File name under `/images/`."""


PARTNERS: tuple[Partner, ...] = tuple(
    Partner(id=number, name=f"Partner {number}", logo=f"partner-{number}.svg") for number in range(1, 23)
)
