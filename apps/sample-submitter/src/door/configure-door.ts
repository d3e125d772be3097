import { Logger, ValidationPipe, type INestApplication } from '@nestjs/common';
import { isLoopback, type DoorSettings } from '@app/config';

/** What the door's server does with every request: bodies are checked field by field, unknown fields are refused. */
export const configureDoor = (app: INestApplication, door: DoorSettings): void => {
  app.useGlobalPipes(
    new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true }),
  );
  if (!isLoopback(door.host)) {
    new Logger('door').warn(
      `listening on ${door.host} with plain HTTP: keys and samples cross the network unencrypted, put TLS in front`,
    );
  }
};
