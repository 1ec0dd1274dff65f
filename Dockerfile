# The server of `npm start` for many machines: PostgreSQL and Redis come from outside, carriers by a volume at /home/waybill.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The server runs its TypeScript as it is: no build. Scripts of packages would fetch what only the built-in PostgreSQL needs.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

# The console's pages.
FROM node:24-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY console ./console
RUN node console/build.ts

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    WAYBILL_HOME=/home/waybill
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /home/waybill \
 && chown 10001:10001 /home/waybill
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY src ./src
COPY --from=console /app/console/dist ./console/dist
COPY carriers ./carriers
COPY mappings ./mappings
COPY docs/guide.md docs/certify.md ./docs/
COPY carriers /home/waybill/carriers
COPY mappings /home/waybill/mappings
# A number, so that Kubernetes can see that it is not root. Nothing is written to the image's own files.
USER 10001:10001
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "src/cli/waybill.js"]
CMD ["serve"]
