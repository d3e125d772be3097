#!/bin/sh
# Writes new passwords and keys for every service into deploy/secrets, one file a service. Shows only the chat key and the console's.
# To change them all: move deploy/secrets away, run this, put back the folder tls and what you wrote there yourself, then
# docker compose up -d.
set -eu
umask 077
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo "deploy/secrets is there already: move it away first, so that no key is lost" >&2
  exit 1
fi
# A letter first: nats-server would take digits for a number.
new() { printf 'k%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }

mkdir secrets
for service in gateway session-tracker prm-judge opd-teacher sample-submitter doctor bus-admin; do
  password=$(new)
  variable=$(printf '%s' "$service" | tr 'a-z-' 'A-Z_')
  echo "NATS_${variable}_PASSWORD=$password" >>secrets/nats.env
  echo "OPENCLAW_RL_NATS_URL=nats://$service:$password@nats:4222" >"secrets/$service.env"
done
chat=$(new)
console=$(new)
{
  echo "OPENCLAW_RL_GATEWAY_API_KEYS=$chat"
  echo "OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED=false"
  echo "OPENCLAW_RL_CONSOLE_OPERATOR_KEYS=$console"
} >>secrets/gateway.env
# Servers of a cluster know each other by it.
echo "NATS_ROUTE_PASSWORD=$(new)" >>secrets/nats.env
door=$(new)
echo "OPENCLAW_RL_DOOR_API_KEYS=$door" >>secrets/sample-submitter.env
echo "OPENCLAW_RL_DOOR_API_KEYS=$door" >secrets/trainer.env
echo "OPENCLAW_RL_DOOR_KEY=$door" >secrets/slime-trainer.env
echo "GF_SECURITY_ADMIN_PASSWORD=$(new)" >secrets/grafana.env

echo "The key for OpenClaw: $chat"
echo "The operator's key for the console: $console"
echo "Everything else is in deploy/secrets; Grafana's password (user admin) in deploy/secrets/grafana.env."
