# To pin the base: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/local-slack/package.json ./packages/local-slack/
# The optional packages include the PostgreSQL of this platform.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts && deploy/image/prune.sh

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json /app/manifest.yml ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 3000
# For Docker. The OCI format has no health checks: Kubernetes and others probe /healthz and /readyz themselves.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The command of `npm start` (a test compares them), without npm in between, so that SIGTERM reaches the process directly.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=100", "dist/main.js"]
