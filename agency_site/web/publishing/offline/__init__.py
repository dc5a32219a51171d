"""Reading without a network: the service worker, the offline page, and the script that registers them."""
