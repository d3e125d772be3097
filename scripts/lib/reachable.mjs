import { answers } from './ports.mjs';

const ANSWER_MS = 5000;

/** Whether something accepts connections where a URL points. */
export function isReachable(url) {
  const { protocol, hostname, port } = new URL(url);
  // An IPv6 address stands in brackets.
  return answers(hostname.replace(/^\[|\]$/g, ''), Number(port || (protocol === 'https:' ? 443 : 80)));
}

/** What the gateway says of its policy; true where it says nothing. */
export async function isPolicyReachable(gatewayUrl) {
  try {
    const response = await fetch(`${gatewayUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return (await response.json()).policy !== 'unreachable';
  } catch {
    return true;
  }
}
