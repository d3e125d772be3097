#!/bin/sh
# Writes new passwords and keys for every service into deploy/secrets, one file a service. Shows only the chat key and the console's.
# After an upgrade, --missing adds the passwords of users that are new, and changes no other.
# --renew changes the passwords of NATS' users where they stand, and nothing else: docker compose stop gateway, then this, then
# docker compose up -d.
# To change everything: move deploy/secrets away, run this, put back the folder tls and what you wrote there yourself, then
# docker compose up -d.
set -eu
umask 077
cd "$(dirname "$0")"
# A letter first: nats-server would take digits for a number.
new() { printf 'k%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
# A file that was edited may end without an end of line.
append() { [ -z "$(tail -c 1 "$1" 2>/dev/null)" ] || echo >>"$1"; echo "$2" >>"$1"; }
SERVICES='gateway session-tracker prm-judge opd-teacher sample-submitter doctor bus-admin'
variable_of() { printf 'NATS_%s_PASSWORD' "$(printf '%s' "$1" | tr 'a-z-' 'A-Z_')"; }
# For each user of NATS that has no password yet.
add_passwords() {
  for service in $SERVICES; do
    variable=$(variable_of "$service")
    if grep -qs "^$variable=" secrets/nats.env; then continue; fi
    password=$(new)
    append secrets/nats.env "$variable=$password"
    append "secrets/$service.env" "OPENCLAW_RL_NATS_URL=nats://$service:$password@nats:4222"
    echo "A password for $service"
  done
  # Servers of a cluster know each other by it.
  grep -qs '^NATS_ROUTE_PASSWORD=' secrets/nats.env || append secrets/nats.env "NATS_ROUTE_PASSWORD=$(new)"
}

# Passes a file through sed, and puts the outcome in its place only when it is whole.
edit() { sed "$2" "$1" >"$1.part" && mv "$1.part" "$1"; }
# In the lines that NATS and the service read; an address that was changed stays changed. NATS_ROUTE_PASSWORD stays too: servers of a
# cluster that are restarted one by one must know each other.
renew_passwords() {
  for service in $SERVICES; do
    password=$(new)
    edit secrets/nats.env "s|^\($(variable_of "$service")\)=.*|\1=$password|"
    edit "secrets/$service.env" "/^OPENCLAW_RL_NATS_URL=/s|//$service:[^@]*@|//$service:$password@|"
  done
}

case "${1:-}" in
--missing | --renew)
  [ -e secrets/nats.env ] || { echo "deploy/secrets/nats.env is not there: run this without $1" >&2; exit 1; }
  add_passwords
  [ "$1" = --renew ] || exit 0
  renew_passwords
  echo "NATS' users have new passwords. So that no answered turn is lost: docker compose stop gateway && docker compose up -d"
  exit 0
  ;;
'') ;;
*)
  echo "$1 is no option; allowed: --missing, --renew" >&2
  exit 1
  ;;
esac
if [ -e secrets ]; then
  echo "deploy/secrets is there already: move it away first, so that no key is lost, or add what it lacks with --missing" >&2
  exit 1
fi

mkdir secrets
add_passwords >/dev/null
chat=$(new)
console=$(new)
{
  echo "OPENCLAW_RL_GATEWAY_API_KEYS=$chat"
  echo "OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED=false"
  echo "OPENCLAW_RL_CONSOLE_OPERATOR_KEYS=$console"
} >>secrets/gateway.env
door=$(new)
echo "OPENCLAW_RL_DOOR_API_KEYS=$door" >>secrets/sample-submitter.env
echo "OPENCLAW_RL_DOOR_API_KEYS=$door" >secrets/trainer.env
echo "OPENCLAW_RL_DOOR_KEY=$door" >secrets/slime-trainer.env
echo "GF_SECURITY_ADMIN_PASSWORD=$(new)" >secrets/grafana.env

echo "The key for OpenClaw: $chat"
echo "The operator's key for the console: $console"
echo "Everything else is in deploy/secrets; Grafana's password (user admin) in deploy/secrets/grafana.env."
