export { freePort, NoFreePortError } from './free-port';
export { NatsServerError, startNatsServer } from './nats-server';
export type { NatsServer, NatsServerOptions } from './nats-server';
export { ConditionTimeoutError, until } from './until';
export type { UntilOptions } from './until';
