import { validateSync } from 'class-validator';

/** What is wrong with a body: the first field at fault, and why. */
export interface BodyFault {
  readonly field: string;
  readonly message: string;
}

export type FlatBody<Body> = { readonly body: Body } | { readonly fault: BodyFault };

const fault = (field: string, message: string): { readonly fault: BodyFault } => ({ fault: { field, message } });

/**
 * A client's JSON as an instance of a class whose fields class-validator knows. The fields are taken over one by one and never
 * walked into: what is nested is for their validators to refuse, whatever it is called and however deep it is. A field that is
 * null is one that was left out; no body is an empty one.
 */
export const readFlatBody = <Body extends object>(type: new () => Body, value: unknown): FlatBody<Body> => {
  const given = value ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return fault('body', 'must be a JSON object');
  const body = new type();
  for (const [field, content] of Object.entries(given)) {
    if (field in Object.prototype) return fault(field, `property ${field} should not exist`);
    Object.assign(body, { [field]: (content ?? undefined) as unknown });
  }
  const [first] = validateSync(body, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true });
  if (first === undefined) return { body };
  return fault(first.property, Object.values(first.constraints ?? {})[0] ?? 'is not valid');
};
