import { join } from 'node:path';
// The build follows imports: without this one the worker would not be in it.
import type {} from './render-worker';

/** The built file of the render worker. */
export const RENDER_WORKER_FILE = join(__dirname, 'render-worker.js');
