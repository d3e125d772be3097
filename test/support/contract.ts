import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';

/** Thrown when a server does something that the document does not say. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** A route of the document. */
export interface DocumentedRoute {
  readonly server: 'gateway' | 'door';
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
}

export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  readonly text: string;
}

const FILE = join(__dirname, '../../docs/openapi.json');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';

const pointer = (...tokens: readonly string[]): string =>
  tokens.map((token) => `/${encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** The OpenAPI document, and what it says of requests and answers. */
export class Contract {
  private readonly document: any = JSON.parse(readFileSync(FILE, 'utf8'));
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  readonly seen = new Set<string>();

  constructor() {
    this.ajv.addSchema({ $id: 'contract:', ...this.document });
  }

  get version(): string {
    return this.document.openapi as string;
  }

  get routes(): DocumentedRoute[] {
    return Object.entries<any>(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => method in item).flatMap((method) =>
        (item.servers as { description: 'gateway' | 'door' }[]).map(({ description: server }) => ({
          server,
          method,
          path,
          statuses: Object.keys(item[method].responses as object),
        })),
      ),
    );
  }

  /** Every schema of the document compiles, and every reference in it leads somewhere. */
  compileAll(): number {
    const names = Object.keys(this.document.components.schemas as object);
    for (const name of names) this.ajv.compile({ $ref: `contract:#/components/schemas/${name}` });
    return names.length;
  }

  /** Whether the document allows this body for a request. */
  allowsBody(method: string, path: string, body: unknown): boolean {
    const at = pointer('paths', path, method, 'requestBody', 'content', JSON_TYPE, 'schema');
    return this.ajv.validate({ $ref: `contract:#${at}` }, body);
  }

  /** @throws ContractError unless the document describes this answer. */
  check(method: string, path: string, answer: SeenAnswer): void {
    const fail = (why: string): ContractError =>
      new ContractError(
        `${method} ${path}: ${why}; ${answer.status} ${answer.contentType} ${answer.text.slice(0, 300)}`,
      );
    const status = String(answer.status);
    const { responses } = this.document.paths[path][method];
    if (!(status in responses)) throw fail('a status that is not documented');
    const response = this.resolve(responses[status]);
    this.seen.add(`${method} ${path} ${status}`);
    for (const name of Object.keys((response.headers ?? {}) as object)) {
      const value = answer.headers.get(name);
      if (value !== null && !this.ajv.validate(response.headers[name].schema as object, value)) {
        throw fail(`header ${name} has a form of its own`);
      }
      if (value === null) throw fail(`no header ${name}`);
    }
    const type = Object.keys((response.content ?? {}) as object).find((each) => answer.contentType.startsWith(each));
    if (type === undefined) throw fail('a content type that is not documented');
    if (type !== JSON_TYPE) return;
    const schema = this.rebase(response.content[type].schema as object);
    if (!this.ajv.validate(schema, JSON.parse(answer.text))) throw fail(this.ajv.errorsText());
  }

  /** @throws ContractError unless the value has the form of a named schema. */
  checkSchema(name: string, value: unknown): void {
    if (this.ajv.validate({ $ref: `contract:#/components/schemas/${name}` }, value)) return;
    throw new ContractError(`${name}: ${this.ajv.errorsText()}; ${JSON.stringify(value).slice(0, 300)}`);
  }

  private resolve(value: any): any {
    const name = /^#\/components\/responses\/(.+)$/.exec(String(value.$ref))?.[1];
    return name === undefined ? value : this.document.components.responses[name];
  }

  private rebase(schema: object): object {
    return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"contract:#')) as object;
  }
}
