"""Where visitors come from: counted views of pages, and the origin of bookings, orders and enquiries. No identifiers."""
