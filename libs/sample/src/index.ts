export { buildSample, type CapturedTurn, type SampleOutcome, type TeacherSignal } from './build-sample';
export { checkSample } from './check-sample';
export { LOG_PROB_SLACK } from './log-probs';
export { batchRewards, sampleAdvantages } from './sample-advantages';
export {
  SAMPLE_SCHEMA_VERSION,
  type PolicyVersionRange,
  type RewardSource,
  type Sample,
  type SampleMetadata,
  type SampleSampling,
  type SampleStatus,
  type SignalWeights,
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
