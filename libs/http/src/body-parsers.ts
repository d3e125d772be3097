import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Fastify has a parser of its own for the first two, which '*' does not reach. */
const TYPES = ['application/json', 'text/plain', '*'] as const;

/** Bodies are what they are, whatever type a client says they are of: `curl -d` says form. */
export const parseBodiesBy = (
  app: NestFastifyApplication,
  parse: (body: Buffer) => unknown,
  options: { readonly bodyLimit: number },
): void => {
  const parser = (_request: unknown, body: Buffer, done: (error: Error | null, body?: unknown) => void): void => {
    try {
      done(null, parse(body));
    } catch (error) {
      done(error as Error);
    }
  };
  for (const type of TYPES) app.useBodyParser(type, options, parser);
};
