import { BadRequestException, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus, RpcServer } from '@app/bus';
import { plainHttpWarning, type DoorSettings } from '@app/config';
import { parseBodiesBy } from '@app/http';
import { BodyPipe } from './door/body.pipe';

/** What a trainer says is short; an update's metrics are the most of it. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** @throws BadRequestException */
const parseJson = (body: Buffer): unknown => {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadRequestException('body: is not valid JSON: send a JSON object');
  }
};

/** The door's bodies are checked field by field, unknown fields are refused; requests over the bus are answered by one replica. */
export const configureApp = (app: NestFastifyApplication, door: DoorSettings): void => {
  parseBodiesBy(app, parseJson, { bodyLimit: BODY_LIMIT_BYTES });
  app.useGlobalPipes(new BodyPipe());
  app.connectMicroservice({ strategy: new RpcServer(app.get(Bus), 'sample-submitter') });
  const warning = plainHttpWarning(door.host, 'keys and samples');
  if (warning !== null) new Logger('door').warn(warning);
};
