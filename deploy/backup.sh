#!/bin/sh
# Writes what the stack holds and has learnt into a folder, one archive a volume: sh deploy/backup.sh FOLDER
# NATS stands still meanwhile. Chats go on: the gateway keeps what it captures, up to gateway.capture_buffer_mb.
set -eu
: "${1:?folder for the archives}"
project=${COMPOSE_PROJECT_NAME:-openclaw-rl}
umask 077
mkdir -p "$1"
folder=$(cd "$1" && pwd)
nats=$(docker ps -q --filter "label=com.docker.compose.project=$project" --filter label=com.docker.compose.service=nats)

if [ -n "$nats" ]; then
  docker stop "$nats" >/dev/null
  trap 'docker start "$nats" >/dev/null' EXIT
fi
# Weights come after NATS, which names the ones that serve: they stay until there are newer ones.
for volume in nats records weights slime; do
  docker volume inspect "${project}_$volume" >/dev/null 2>&1 || continue
  docker run --rm --user 0 --entrypoint tar -v "${project}_$volume:/data:ro" -v "$folder:/backup" \
    openclaw-rl/gateway:0.1.0 czf "/backup/$volume.tgz" -C /data .
  echo "$folder/$volume.tgz"
done
