export { parseBodiesBy } from './body-parsers';
export { IsAllowed, IsFiniteNumber, isName, IsName, IsText, IsWholeNumber } from './fields';
export { readFlatBody, type BodyFault, type FlatBody } from './flat-body';
export { httpAdapter, type HttpAdapterOptions, type Refusal } from './http-adapter';
