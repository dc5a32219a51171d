"""The library of pictures: its list, the upload, and the page of each picture."""
