import { Logger, type INestApplication } from '@nestjs/common';
import { Bus, RpcServer } from '@app/bus';
import { isLoopback, type DoorSettings } from '@app/config';
import { BodyPipe } from './door/body.pipe';

/** The door's bodies are checked field by field, unknown fields are refused; requests over the bus are answered by one replica. */
export const configureApp = (app: INestApplication, door: DoorSettings): void => {
  app.useGlobalPipes(new BodyPipe());
  app.connectMicroservice({ strategy: new RpcServer(app.get(Bus), 'sample-submitter') });
  if (!isLoopback(door.host)) {
    new Logger('door').warn(
      `listening on ${door.host} with plain HTTP: keys and samples cross the network unencrypted, put TLS in front`,
    );
  }
};
