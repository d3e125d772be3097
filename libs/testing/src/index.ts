export { runConformance, formatReport } from './conformance/conformance';
export type { CheckResult, ConformanceTarget } from './conformance/conformance';
export { startEngineDouble } from './engine-double/engine-double';
export type { EngineDouble } from './engine-double/engine-double';
export { nextLogProbs, topTokens } from './engine-double/language-model';
export { writeModelFolder } from './engine-double/model-folder';
export { FAULTS } from './engine-double/options';
export type {
  AnswerRule,
  EngineDoubleOptions,
  EngineDoubleSettings,
  Fault,
  Role,
  ScriptedAnswer,
  ScriptedToolCall,
  SeenRequest,
} from './engine-double/options';
export { decode, encode, SPECIAL, VOCABULARY_SIZE } from './engine-double/tokenizer';
export { freePort, NoFreePortError } from './free-port';
export { killWithParent } from './kill-with-parent';
export { startNatsCluster } from './nats-cluster';
export type { NatsCluster, NatsClusterOptions } from './nats-cluster';
export { NatsServerError, startNatsServer } from './nats-server';
export type { NatsServer, NatsServerOptions } from './nats-server';
export { startOtlpReceiver } from './otlp-receiver';
export type { OtlpReceiver, ReceivedLink, ReceivedSpan } from './otlp-receiver';
export { makeNetworkIsland } from './network-island';
export type { NetworkIsland } from './network-island';
export { ConditionTimeoutError, until } from './until';
export type { UntilOptions } from './until';
