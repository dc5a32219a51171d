"""Texts of the academy's landing page beside its courses (specification, section 2)."""

from agency_site.content.courses import number_in_words
from agency_site.content.schema import Figure, Question, Record


class Academy(Record):
    """The landing page's texts."""

    title: str
    lead: str
    figures: tuple[Figure, ...]
    week_title: str
    week: tuple[Figure, ...]
    week_text: tuple[str, ...]
    questions: tuple[Question, ...]


ACADEMY = Academy(
    title="Learn it on Monday. Use it at work on Tuesday.",
    lead=(
        f"{number_in_words().capitalize()} short online courses for people who run a business in Kenya or market one. "
        "Two hours a week, on your own project, with teachers who do the work every day."
    ),
    figures=(
        Figure(figure="92%", label="job placement"),
        Figure(figure="1000+", label="students trained"),
        Figure(figure="120+", label="industry experts"),
        Figure(figure="98%", label="satisfaction"),
        Figure(figure="10", label="certification programs"),
    ),
    week_title="Two hours, and neither of them is a lecture.",
    week=(
        Figure(
            figure="1 h",
            label="live in the evening, Nairobi time, in a group small enough to be asked by name",
        ),
        Figure(
            figure="1 h",
            label="on your own shop, page or account, with comments from the teacher by the weekend",
        ),
    ),
    week_text=(
        "You bring a real thing: the salon's Instagram, the SACCO's newsletter, the menu that goes to print on Friday. "
        "Each week ends with a piece of it changed for good.",
        "Missed the evening because the power went or the matatu did not come? The live hour is recorded and waits for "
        "you. You finish with a project that you can show and a Certification of Completion.",
    ),
    questions=(
        Question(
            question="What do I need?",
            answer=(
                "A phone for Digital Skills, a laptop for the others, and about 2 GB of data a month. Each course page "
                "says what to have ready under “Next steps”."
            ),
        ),
        Question(
            question="How do I pay?",
            answer=(
                "With M-Pesa, in one prompt to the phone whose number you give. The page shows the amount before "
                "anything moves, and the receipt comes by e-mail. A free course asks for no money."
            ),
        ),
        Question(
            question="Can my employer pay for several of us?",
            answer=(
                "Yes. Choose the number of places on the payment page. For a group that is larger than one M-Pesa "
                "payment allows, write to us and we will send an invoice."
            ),
        ),
        Question(
            question="When do courses start?",
            answer="Very soon. You get the first date by e-mail when you enrol, and it is always an evening.",
        ),
        Question(
            question="Which course is right for me?",
            answer=(
                "If you have never sold online, begin with Digital Skills. If you sign the budget, take Digital "
                "Marketing for CEOs. For everything in between, book half an hour with us: it costs nothing."
            ),
        ),
    ),
)
