"""The form that joins a waiting list, and the private page of who has joined."""
