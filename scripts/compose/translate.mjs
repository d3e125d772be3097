import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * A compose file as docker-compose 1.29 can read it: the same services, in the words of its time, which knows no optional file
 * of variables: those in `present` are read, others are not.
 */
export function translate(path, present) {
  const file = parse(readFileSync(path, 'utf8'), { merge: true });
  const services = Object.entries(file.services).map(([name, service]) => [name, translateService(service, present)]);
  return { networks: file.networks, volumes: file.volumes, services: Object.fromEntries(services) };
}

function translateService(service, present) {
  const { env_file: files, deploy, ...rest } = service;
  const { pids, ...limits } = deploy?.resources?.limits ?? {};
  const resources = { ...deploy?.resources, ...(deploy?.resources?.limits ? { limits } : {}) };
  const isRead = ({ path, required = true }) => required || present.test(path);
  return {
    ...rest,
    ...(files === undefined ? {} : { env_file: files.filter(isRead).map(({ path }) => path) }),
    ...(deploy === undefined ? {} : { deploy: { ...deploy, resources } }),
    ...(pids === undefined ? {} : { pids_limit: pids }),
  };
}

/** Images of a compose file and a Dockerfile that come from a registry. */
export function foreignImages(composeFiles, dockerfile) {
  const used = composeFiles.flatMap((path) =>
    Object.values(parse(readFileSync(path, 'utf8'), { merge: true }).services)
      .filter(({ build, image }) => build === undefined && image !== undefined)
      .map(({ image }) => image),
  );
  const bases = [...readFileSync(dockerfile, 'utf8').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image]) => image);
  return [...new Set([...used, ...bases])];
}
