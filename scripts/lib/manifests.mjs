/** Packages with the schemas of API groups that are not Kubernetes' own. */
const PACKAGES = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/**
 * What is wrong with a manifest, in words: what its API's schema says, and fields that the API does not know. An empty list if nothing
 * is. Kubernetes' schemas allow unknown fields, and a cluster drops them without a word.
 */
export async function complaintsAbout(manifest) {
  const { apiVersion = '', kind = '' } = manifest;
  const owner = PACKAGES[apiVersion.split('/').at(-2)] ?? 'kubernetes-models';
  const { [kind]: Model } = await import(`${owner}/${apiVersion}/${kind}`).catch(() => ({}));
  if (Model === undefined) return [`there is no schema for ${kind} of ${apiVersion}`];
  const unread = new Set();
  try {
    Model.prototype.validate.call(watch(manifest, '', unread));
  } catch (error) {
    return [error.message];
  }
  const unknown = [...unread];
  const isInside = (path) => unknown.some((outer) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
  return unknown.filter((path) => !isInside(path)).map((path) => `${path} is not a field of it`);
}

/**
 * The same value, which takes out of `unread` what is read of it. A schema's check reads every field that the schema knows, and
 * every key where it allows any.
 */
function watch(value, path, unread) {
  if (typeof value !== 'object' || value === null) return value;
  const pathOf = (key) => (Array.isArray(value) ? `${path}[${key}]` : `${path === '' ? '' : `${path}.`}${key}`);
  const watched = Object.entries(value).map(([key, child]) => {
    unread.add(pathOf(key));
    return [key, watch(child, pathOf(key), unread)];
  });
  const copy = Object.assign(Array.isArray(value) ? [] : {}, Object.fromEntries(watched));
  return new Proxy(copy, {
    get(target, key) {
      if (typeof key === 'string') unread.delete(pathOf(key));
      return target[key];
    },
  });
}
