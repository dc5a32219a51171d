#!/bin/sh
# Writes Alertmanager's configuration, which reads no variables, to a folder, and executes the rest of the line.
set -eu
folder=$1
shift
printf '%s' "$SMTP_PASSWORD" > "$folder/smtp-password"
cat > "$folder/alertmanager.yaml" <<END
global:
  smtp_smarthost: '$SMTP_HOST:$SMTP_PORT'
  smtp_from: 'alerts@$SITE_ADDRESS'
  smtp_auth_username: '$SMTP_USER'
  smtp_auth_password_file: '$folder/smtp-password'
route: {receiver: team, group_by: [alertname], repeat_interval: 12h}
receivers:
  - name: team
    email_configs: [{to: '$ALERTS_TO', send_resolved: true}]
END
exec "$@"
