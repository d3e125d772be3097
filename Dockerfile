# One image for each app, all from one build: docker build --target gateway .
# Packages come before sources, so that a change of a source installs nothing again.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./

FROM manifests AS packages
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund && \
    find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete

FROM manifests AS build
RUN --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json ./
COPY scripts scripts
COPY apps apps
COPY libs libs
RUN node scripts/build.mjs && rm -r dist/libs/testing

# Node is process 1 and gets SIGTERM itself; each app drains on it within 20 seconds.
FROM node:24.21.0-bookworm-slim AS app
ENV NODE_ENV=production
WORKDIR /app
RUN install -d -o node -g node /var/lib/openclaw-rl
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/libs dist/libs
USER node
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(process.env.READY_URL).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]

FROM app AS gateway
ENV READY_URL=http://127.0.0.1:30000/readyz
COPY --from=build /app/dist/apps/gateway dist/apps/gateway
COPY --from=build /app/dist/apps/console dist/apps/console
EXPOSE 30000
CMD ["dist/apps/gateway/src/main.js"]

FROM app AS session-tracker
ENV READY_URL=http://127.0.0.1:9100/readyz
COPY --from=build /app/dist/apps/session-tracker dist/apps/session-tracker
EXPOSE 9100
CMD ["dist/apps/session-tracker/src/main.js"]

FROM app AS prm-judge
ENV READY_URL=http://127.0.0.1:9100/readyz
COPY --from=build /app/dist/apps/prm-judge dist/apps/prm-judge
EXPOSE 9100
CMD ["dist/apps/prm-judge/src/main.js"]

FROM app AS opd-teacher
ENV READY_URL=http://127.0.0.1:9100/readyz
COPY --from=build /app/dist/apps/opd-teacher dist/apps/opd-teacher
EXPOSE 9100
CMD ["dist/apps/opd-teacher/src/main.js"]

FROM app AS sample-submitter
ENV READY_URL=http://127.0.0.1:30100/readyz
COPY --from=build /app/dist/apps/sample-submitter dist/apps/sample-submitter
EXPOSE 30100
CMD ["dist/apps/sample-submitter/src/main.js"]

FROM app AS trainer
ENV READY_URL=http://127.0.0.1:9100/readyz
COPY --from=build /app/dist/apps/trainer dist/apps/trainer
COPY libs/pocket-lm/weights libs/pocket-lm/weights
EXPOSE 9100
CMD ["dist/apps/trainer/src/main.js"]

FROM app AS doctor
HEALTHCHECK NONE
COPY --from=build /app/dist/apps/doctor dist/apps/doctor
ENTRYPOINT ["node", "dist/apps/doctor/src/main.js"]

FROM app AS bus-admin
HEALTHCHECK NONE
COPY --from=build /app/dist/apps/bus-admin dist/apps/bus-admin
ENTRYPOINT ["node", "dist/apps/bus-admin/src/main.js"]

FROM app AS pocket-engine
ENV READY_URL=http://127.0.0.1:8000/readyz
COPY --from=build /app/dist/apps/pocket-engine dist/apps/pocket-engine
COPY libs/pocket-lm/weights libs/pocket-lm/weights
EXPOSE 8000
CMD ["dist/apps/pocket-engine/src/main.js"]
