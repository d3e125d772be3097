export { Background } from './background';
export { Bus } from './bus';
export type { BusOptions, PublishResult, Subscription } from './bus-options';
export { BusModule } from './bus.module';
export { Connection, type ConnectionOptions, type Session } from './connection';
export { Documents, isMarker, jitter, type Listed, type Stored } from './document';
export {
  BusUnavailableError,
  ContentionError,
  isRetryable,
  MessageTooLargeError,
  NotYetError,
  OutageError,
} from './errors';
export { QueuedDocuments, type DocumentStore } from './queued-documents';
export { RpcServer } from './rpc-server';
export { MAX_DELIVERIES, retryDelayMs, settleFailure, type Settlement } from './settlement';
export { scanHeaders, scanInfos, type ScannedInfo, type ScanOptions } from './scan';
export { maxBytesOf, streamCreatedAt } from './topology';
export type { Delivery } from './delivered';
export { Worker, type WorkerOptions } from './worker';
