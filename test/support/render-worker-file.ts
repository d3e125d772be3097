import { join } from 'node:path';

/** In tests the worker runs from its source. */
export const RENDER_WORKER_FILE = join(__dirname, 'render-worker.cjs');
