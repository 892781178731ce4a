# One container, one Postgres. See the guide on operating (src/http/pages/guides/operating.md).
FROM oven/bun:1.4.4-slim AS build
WORKDIR /app
COPY package.json bun.lock ./
COPY src/db/*.patch src/db/
RUN bun install --frozen-lockfile --omit=optional
COPY tasks tasks
COPY src src
# The console, minified and compressed: the image below needs none of the packages that this takes. And the service as one
# program, which takes less memory than its thousand modules do.
RUN bun src/console_build.ts && bun src/service_build.ts

FROM oven/bun:1.4.4-slim
WORKDIR /app
# OpenSSL signs mails twice to four times as fast as Bun does (src/mail/_signatures.ts).
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 && rm -rf /var/lib/apt/lists/*
COPY package.json bun.lock ./
# What is mended in a package: the install applies it.
COPY src/db/*.patch src/db/
# Without what is for development, the embedded Postgres included: a container is given the address of a real one.
# Optional packages stay: the encoder of images is one for each platform.
RUN bun install --frozen-lockfile --production
COPY tsconfig.json bunfig.toml ./
COPY src src
COPY sql sql
COPY tasks tasks
COPY --from=build /app/dist dist
ENV NODE_ENV=production
# The heap is collected once it is twice as large as what was alive, and not three times as large (guide on operating).
# With half, every collection is one of all of it, which takes half as much processor time again.
ENV BUN_JSC_heapGrowthFunctionThresholdInMB=0 BUN_JSC_heapGrowthMaxIncrease=1
EXPOSE 3000
USER bun
# Exec form, so that SIGTERM reaches the service: it finishes what is in flight within 25 s.
CMD ["bun", "dist/service/main.js"]
# A worker listens too, for this.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bun", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
