export { parseBodiesBy } from './body-parsers';
export { readFlatBody, type BodyFault, type FlatBody } from './flat-body';
export { httpAdapter, type HttpAdapterOptions, type Refusal } from './http-adapter';
