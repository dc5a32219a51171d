"""The upload of pictures above their list."""

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page
from agency_site.backoffice.behaviours import PostedForm
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.features.editing.admin.pictures.behaviours import PictureUpload
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD, read_problem
from agency_site.features.editing.pictures.rules import ACCEPTED_FILES, LARGEST_FILE_MB, PICTURE_FIELD
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field


class PictureUploads(StaffState):
    """The result of an upload by the form itself, without scripts."""

    upload_problem: rx.Field[str] = rx.field("")
    """Why the last file was not accepted."""

    @staff_page(Permission.SEE_CONTENT)
    async def open_uploads(self, _who: Staff) -> None:
        """Show why the last file was not accepted."""
        self.upload_problem = read_problem(self.router.url.query_parameters)


def upload_card() -> rx.Component:
    """The form for new pictures."""
    form = PostedForm.create(
        small_note(
            "Choose files, drop them here, or paste a picture from the clipboard. Place and camera data are removed.",
        ),
        field(
            "Pictures", PICTURE_FIELD, form="upload", type="file", accept=ACCEPTED_FILES, multiple=True,
            hint=f"JPEG, PNG, WebP, AVIF or SVG, at most {LARGEST_FILE_MB} MB each.",
        ),
        button("Upload", type="submit"),
        action=PICTURE_UPLOAD,
        method="post",
        enc_type="multipart/form-data",
        class_name="record-form",
    )  # fmt: skip
    problem = rx.cond(
        PictureUploads.upload_problem != "",
        notice(PictureUploads.upload_problem, tone="error"),
    )
    return rx.cond(
        has_permission(Permission.WORK_CONTENT),
        card("Upload pictures", problem, PictureUpload.create(form), identity="picture-upload"),
    )
