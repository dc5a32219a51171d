"""Reading without a network: the service worker, the offline page, and the few lines by which pages ask for them."""
