import { BadRequestException, Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { readFlatBody } from '@app/http';

/** Checks the door's bodies field by field; unknown fields are refused. */
@Injectable()
export class BodyPipe implements PipeTransform {
  /** @throws BadRequestException that names the field. */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined) return value;
    const result = readFlatBody(metatype as new () => object, value);
    if ('body' in result) return result.body;
    const { field, message } = result.fault;
    throw new BadRequestException(`${field}: ${message}`);
  }
}
