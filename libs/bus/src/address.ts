/** Where the servers are and who is asking, and how that may be shown. */
export interface Address {
  readonly options: { readonly servers: string[]; readonly user?: string; readonly pass?: string };
  /** For logs and errors: without user and password. */
  readonly shown: string;
}

/** A sign that should have been written in percent escapes stands for itself. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Reads a NATS URL, or several separated by commas. The client library does not look for user and password in URLs.
 * Never throws: a URL that cannot be read is left to the client to complain about.
 */
export const readAddress = (urls: string): Address => {
  const read = urls.split(',').map((text) => {
    if (!URL.canParse(text.trim())) return { server: text.trim(), user: '', pass: '' };
    const url = new URL(text.trim());
    const server = `${url.protocol}//${url.host}`;
    return { server, user: decode(url.username), pass: decode(url.password) };
  });
  const servers = read.map(({ server }) => server);
  const { user, pass } = read.find((each) => each.user !== '') ?? { user: '', pass: '' };
  return { options: { servers, ...(user === '' ? {} : { user, pass }) }, shown: servers.join(', ') };
};
