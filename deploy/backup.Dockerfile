# What takes and restores backups: the site's own image, with age and the clients of the very PostgreSQL that compose.yaml runs.
# Debian's clients are older than that server, and refuse it.
ARG IMAGE=agency-site:latest
FROM ${IMAGE}
USER root
RUN apt-get update && apt-get install -y --no-install-recommends age postgresql-common ca-certificates \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install -y --no-install-recommends postgresql-client-17 && rm -rf /var/lib/apt/lists/*
USER 10001
HEALTHCHECK NONE
ENTRYPOINT [".venv/bin/python", "-m", "agency_site.db.backups.command"]
CMD ["backup"]
