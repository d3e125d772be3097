import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const LOOK_EVERY_MS = 50;
/** What is still running when the app has finished its work may take so long, in milliseconds. */
const LAST_REPLIES_MS = 1000;

/**
 * Lets a server end with its app: connections are closed as soon as their replies are out. By itself the server waits for
 * a client that keeps its connection, and closes those only that were idle at the first moment.
 */
export const endConnectionsAtClose = (app: NestFastifyApplication): void => {
  const server = app.getHttpServer();
  const instance = app.getHttpAdapter().getInstance();
  instance.addHook('preClose', (done) => {
    const looking = setInterval(() => {
      server.closeIdleConnections();
    }, LOOK_EVERY_MS);
    const last = setTimeout(() => {
      server.closeAllConnections();
    }, LAST_REPLIES_MS);
    server.once('close', () => {
      clearInterval(looking);
      clearTimeout(last);
    });
    done();
  });
};
