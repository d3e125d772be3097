/** Where the console is: `#/turns/<id>?fate=sample`. */
export interface Place {
  readonly page: string;
  readonly id: string | null;
  readonly query: URLSearchParams;
}

/** What somebody has typed may be no encoding at all: then it stands for itself. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const parsePlace = (hash: string): Place => {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const [page = '', id] = path.split('/');
  return {
    page: page === '' ? 'now' : page,
    id: id === undefined || id === '' ? null : decode(id),
    query: new URLSearchParams(query),
  };
};
