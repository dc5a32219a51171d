#!/bin/sh
# Writes Alertmanager's configuration, which reads no variables, to a folder, and executes the rest of the line.
# Mail goes the way of the site's own: the same server, account, encryption and sender, which relays and SPF know.
set -eu
folder=$1
shift

# A text between single quotes, as YAML has it.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/''/g")"; }

from=${MAIL_FROM:-}
if [ -z "$from" ]; then case $SMTP_USER in *@*) from=$SMTP_USER ;; *) from="alerts@$SITE_ADDRESS" ;; esac; fi
tls=true
if [ "${SMTP_SECURITY:-starttls}" = none ]; then tls=false; fi
printf '%s' "$SMTP_PASSWORD" > "$folder/smtp-password"
cat > "$folder/alertmanager.yaml" <<END
global:
  smtp_smarthost: $(quoted "$SMTP_HOST:$SMTP_PORT")
  smtp_from: $(quoted "$from")
  smtp_require_tls: $tls
  smtp_auth_username: $(quoted "$SMTP_USER")
  smtp_auth_password_file: $(quoted "$folder/smtp-password")
route: {receiver: team, group_by: [alertname], repeat_interval: 12h}
# One cause, one mail: without the database requests, jobs and figures fail too.
inhibit_rules:
  - source_matchers: [alertname = DatabaseAway]
    target_matchers: ['alertname =~ "ErrorRate|JobStopped|FiguresMissing|CallbacksWaiting|SlowRequests|SlowEvents"']
receivers:
  - name: team
    email_configs: [{to: $(quoted "$ALERTS_TO"), send_resolved: true}]
END
exec "$@"
