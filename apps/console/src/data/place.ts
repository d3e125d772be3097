/** Where the console is: `#/turns/<id>?fate=sample`. */
export interface Place {
  readonly page: string;
  readonly id: string | null;
  readonly query: URLSearchParams;
}

export const parsePlace = (hash: string): Place => {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const [page = '', id] = path.split('/');
  return {
    page: page === '' ? 'now' : page,
    id: id === undefined || id === '' ? null : decodeURIComponent(id),
    query: new URLSearchParams(query),
  };
};
