"""Digital skills training: the overview that leads into the academy."""

from agency_site.content.courses import courses, number_in_words
from agency_site.content.schema import Figure, Link
from agency_site.content.services.schema import Closing, Intro, Program, Service, Step


def describe_all_courses() -> str:
    """Return the sentence about the whole academy."""
    free = number_in_words(course for course in courses() if course.free)
    return f"The academy has {number_in_words()} courses in all, and {free} of them {'is' if free == 'one' else 'are'} free."


TRAINING = Service(
    slug="digital-training",
    icon="training",
    name="Digital Skills Training",
    summary="Short online courses from people who run campaigns for a living, for chief executives, teams and shopkeepers "
    "who start from zero.",
    features=(
        "Two hours a week, online",
        "Hands-on projects on your own business",
        "Certification of Completion",
        "Team rates on request",
    ),
    heading="Digital skills training",
    lead="We teach what we did last week for a client. You do it the same evening for your own business, and somebody "
    "looks at the result.",
    seo_title="Digital skills training in Kenya",
    seo_description="Five programmes in marketing, mail, social media, search and digital skills, online from Nairobi, with "
    "hands-on projects and a certificate.",
    offers_intro=Intro(
        title="Five programmes, one habit: do it the same day",
        text="All of them run online, two hours a week, and end with a Certification of Completion.",
    ),
    offers=(),
    programs=(
        Program(
            title="Digital marketing for leaders",
            text="Read the numbers, brief the team and spend with a reason. Six weeks with other people who sign the budget.",
            audience="For chief executives and owners",
            courses=("digital-marketing",),
        ),
        Program(
            title="Email marketing",
            text="Build a list people stay on, and write messages that earn their place between the bank and the school.",
            audience="For marketers and shop owners",
            courses=("email-marketing",),
        ),
        Program(
            title="Digital skills for business",
            text="From WhatsApp orders to a shop that sells while you sleep, because everybody starts somewhere.",
            audience="For owners who start from zero",
            courses=("digital-skills",),
        ),
        Program(
            title="Social media and the full masterclass",
            text="Two tracks, one classroom: a month of posts that start conversations, or the whole plan across search, social "
            "and mail.",
            audience="For marketing staff, beginners and advanced",
            courses=("social-media-marketing", "digital-marketing-masterclass"),
        ),
        Program(
            title="Google Ads",
            text="Set up, read and improve campaigns that pay for themselves, with your own account open in every lesson.",
            audience="For anybody who pays for clicks",
            courses=("google-ads",),
        ),
    ),
    figures_intro=Intro(title="Where it leads"),
    figures=(
        Figure(figure="92%", label="job placement"),
        Figure(figure="85K", label="average salary"),
        Figure(figure="250+", label="hiring partners"),
        Figure(figure="98%", label="satisfaction"),
    ),
    steps_intro=Intro(title="How we teach"),
    steps=(
        Step(
            number="1",
            title="Show",
            text="A live account, a real brief, a mistake we made ourselves. Forty minutes, no slides about history.",
        ),
        Step(
            number="2",
            title="Try",
            text="You do the same thing for your own shop, school or SACCO while the trainer is still in the room.",
        ),
        Step(
            number="3",
            title="Look",
            text="Work goes on the wall. Others say what they understood, which is rarely what you meant.",
        ),
        Step(
            number="4",
            title="Keep",
            text="A checklist for Monday, a recording for later, and office hours on WhatsApp until the project runs.",
        ),
    ),
    closing=Closing(
        title="Twelve people or more? We come to you.",
        text="Company classes in Nairobi, Mombasa, Kisumu and Eldoret, built around your own accounts and products.",
        link=Link(label="Ask for a team class", href="/contact"),
    ),
)
