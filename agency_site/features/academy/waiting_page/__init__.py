"""The form that joins a waiting list, and the private page of a person who has joined."""
