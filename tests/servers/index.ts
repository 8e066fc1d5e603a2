/** Real PostgreSQL and Redis servers for tests. */
export { type PostgresOptions, dropDatabase, newDatabase, ownPostgres, postgresServer } from "./postgres.ts";
export { ownRedis, redisServer } from "./redis.ts";
export { type Skip, type TestServer, isSkip } from "./server.ts";
export { type Outcome, load } from "./load.ts";
export { until } from "./until.ts";
