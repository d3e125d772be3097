export { Bus, type BusOptions, type PublishResult, type Subscription } from './bus';
export { BusModule } from './bus.module';
export { Connection, type ConnectionOptions } from './connection';
export { Documents, jitter, type Listed, type Stored } from './document';
export { BusUnavailableError, ContentionError, isRetryable, MessageTooLargeError, OutageError } from './errors';
export { MAX_DELIVERIES, retryDelayMs, settleFailure, type Settlement } from './settlement';
export type { ScannedInfo, ScanOptions } from './scan';
export { Worker, type Delivery, type WorkerOptions } from './worker';
