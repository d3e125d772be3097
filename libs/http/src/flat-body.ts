import { getMetadataStorage, validateSync } from 'class-validator';
import { describeValue } from './describe-value';

/** What is wrong with a body: the first field at fault, and what is allowed there and what was got. */
export interface BodyFault {
  readonly field: string;
  readonly message: string;
}

export type FlatBody<Body> = { readonly body: Body } | { readonly fault: BodyFault };

const fault = (field: string, message: string): { readonly fault: BodyFault } => ({ fault: { field, message } });

/** Names of the fields that have validators, those of base classes included. */
const fieldsOf = (type: new () => object): string[] => {
  const validators = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(validators.map(({ propertyName }) => propertyName))];
};

/**
 * A client's JSON as an instance of a class whose fields class-validator knows. The fields are taken over one by one and never
 * walked into: what is nested is for their validators to refuse, whatever it is called and however deep it is. A field that is
 * null is one that was left out; no body is an empty one.
 */
export const readFlatBody = <Body extends object>(type: new () => Body, value: unknown): FlatBody<Body> => {
  const given = value ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return fault('body', `must be a JSON object, got ${describeValue(given)}`);
  }
  const known = fieldsOf(type);
  const body = new type();
  for (const [field, content] of Object.entries(given)) {
    if (!known.includes(field)) return fault(field, `is not a field of this request, which are ${known.join(', ')}`);
    Object.assign(body, { [field]: (content ?? undefined) as unknown });
  }
  const [first] = validateSync(body, { forbidUnknownValues: true });
  if (first === undefined) return { body };
  const allowed = Object.values(first.constraints ?? {})[0] ?? 'is not valid';
  return fault(first.property, `${allowed}, got ${describeValue(first.value)}`);
};
