/** Headers of a stream that keep proxies from holding it back. */
export const STREAM_HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
