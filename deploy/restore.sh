#!/bin/sh
# Puts a backup of deploy/backup.sh in the place of what the stack holds: docker compose down, sh deploy/restore.sh FOLDER
set -eu
: "${1:?folder with the archives}"
project=${COMPOSE_PROJECT_NAME:-openclaw-rl}
folder=$(cd "$1" && pwd)
if [ -n "$(docker ps -q --filter "label=com.docker.compose.project=$project")" ]; then
  echo "the stack runs: docker compose down first" >&2
  exit 1
fi

for archive in "$folder"/*.tgz; do
  volume=$(basename "$archive" .tgz)
  docker volume create --label "com.docker.compose.project=$project" --label "com.docker.compose.volume=$volume" \
    "${project}_$volume" >/dev/null
  docker run --rm --user 0 --entrypoint sh -v "${project}_$volume:/data" -v "$folder:/backup:ro" \
    openclaw-rl/gateway:0.1.0 -euc 'find /data -mindepth 1 -delete; tar xzf "/backup/$0.tgz" -C /data' "$volume"
  echo "${project}_$volume"
done
