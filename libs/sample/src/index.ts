export { buildSample, type CapturedTurn, type SampleOutcome } from './build-sample';
export { checkSample, LOG_PROB_SLACK } from './check-sample';
export {
  SAMPLE_SCHEMA_VERSION,
  type PolicyVersionRange,
  type RewardSource,
  type Sample,
  type SampleMetadata,
  type SampleSampling,
  type SampleStatus,
} from './sample';
export {
  parseSampleJson,
  sampleFromFrame,
  sampleToFrame,
  sampleToJson,
  type SampleFrame,
  type SampleJson,
} from './sample-codec';
export { SampleInvariantError, SampleVersionError } from './sample-error';
