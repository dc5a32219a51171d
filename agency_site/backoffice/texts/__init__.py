"""Text messages in the back office: their list, their pages, and the dialog with which staff send them and copy links."""
