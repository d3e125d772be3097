import { isRecord } from '@app/chat';
import { objectIn, type Answer } from './http';

const LONGEST_MESSAGE = 200;

/** The message of an error as OpenAI's servers and SGLang write it; null where there is none. */
export const errorMessageIn = (text: string): string | null => {
  const body = objectIn(text);
  const error = body?.error ?? body?.detail;
  const message = isRecord(error) ? error.message : (error ?? body?.message);
  return typeof message === 'string' && message !== '' ? message.slice(0, LONGEST_MESSAGE) : null;
};

/** What an answer is that is none that was expected: what people can tell a wrong URL by. */
export const describeAnswer = ({ status, text, headers }: Pick<Answer, 'status' | 'text' | 'headers'>): string => {
  const message = errorMessageIn(text);
  if (message !== null) return `status ${status}: ${message}`;
  const body = objectIn(text);
  if (body !== null) {
    const keys = Object.keys(body).slice(0, 8).join(', ');
    return `status ${status} with JSON of ${keys === '' ? 'nothing' : keys}`;
  }
  if (/^\s*<(!doctype|html)/i.test(text)) return `status ${status} with a web page`;
  const location = headers.get('location');
  if (location !== null && status >= 300 && status < 400) return `status ${status}, a redirect to ${location}`;
  return text.trim() === '' ? `status ${status} with nothing` : `status ${status} with something that is not JSON`;
};

/** What a failed connection means, by the system's code: what was seen, and what to do about `setting`. */
export const describeNoAnswer = (code: string, setting: string): { readonly seen: string; readonly remedy: string } => {
  if (code === 'timeout' || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return {
      seen: 'it takes the connection and does not answer',
      remedy: 'it is still starting, or overloaded: look at its log',
    };
  }
  if (/^(EPROTO|ERR_SSL_)/.test(code)) {
    return { seen: `no TLS is spoken there (${code})`, remedy: `write http:// in ${setting}` };
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return {
      seen: `its certificate is not trusted (${code})`,
      remedy: 'name the authority that has signed it in NODE_EXTRA_CA_CERTS',
    };
  }
  return {
    seen: `the connection broke (${code})`,
    remedy: `what listens there may speak no HTTP, or TLS alone: mend ${setting} (https:// where it speaks TLS)`,
  };
};
