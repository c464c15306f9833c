FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/local-slack/package.json ./packages/local-slack/
# The optional packages include the PostgreSQL of this platform. The packaged Node is not needed: the image has one.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules ./node_modules
COPY package.json tsconfig.json manifest.yml ./
COPY packages ./packages
COPY src ./src
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The command of `npm start` (a test compares them), without npm in between, so that SIGTERM reaches the process directly.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=100", "--import", "tsx", "src/main.ts"]
