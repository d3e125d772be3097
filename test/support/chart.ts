import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Settings } from '@app/config';
import { ROOT } from './compose-file';
import { settingsFrom } from './settings-from';

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

/** The part of a container that tests look at. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string } };
  readonly resources: Readonly<Record<'limits' | 'requests', Readonly<Record<string, string | number>>>>;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

export interface Pod {
  readonly containers: readonly [Container];
  readonly enableServiceLinks: boolean;
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: {
      readonly name: string;
      readonly items?: readonly { readonly key: string; readonly path: string }[];
    };
  }[];
}

/** Whom a rule of a NetworkPolicy names. */
export interface Peer {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly ipBlock?: object;
}

export interface NetworkRule {
  readonly ports?: readonly { readonly port: number }[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly spec: Pod };
    readonly ingress: readonly NetworkRule[] | null;
    readonly egress: readonly NetworkRule[];
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}

const FOLDER = join(ROOT, 'deploy/helm/examples');
const FILES = readdirSync(FOLDER);

/** The manifests of each example of values, by its name; null where there is no Helm to make them. */
export const renderExamples = (): Readonly<Record<string, readonly Manifest[]>> | null => {
  const args = ['scripts/render-chart.mjs', ...FILES.map((file) => join(FOLDER, file))];
  const text = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const rendered = JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1)) as Manifest[][] | null;
  return rendered && Object.fromEntries(rendered.map((manifests, i) => [basename(FILES[i]!, '.yaml'), manifests]));
};

export const componentOf = ({ metadata }: Manifest): string => metadata.labels['app.kubernetes.io/component'] ?? '';

/** Its manifest of a kind. @throws Error if there is none */
export const find = (manifests: readonly Manifest[], kind: string, component: string): Manifest => {
  const found = manifests.find((each) => each.kind === kind && componentOf(each) === component);
  if (found === undefined) throw new Error(`there is no ${kind} of ${component}`);
  return found;
};

/** Pods that run on, by component. */
export const podsOf = (manifests: readonly Manifest[]): Readonly<Record<string, Pod>> =>
  Object.fromEntries(
    manifests
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map((each) => [componentOf(each), each.spec.template.spec]),
  );

/** A container's variables as the kubelet puts them together. Secrets hold a value for each key that is asked for by its name. */
export const environmentOf = (
  { env = [] }: Container,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> => {
  const variables: Record<string, string> = { ...secrets };
  for (const { name, value, valueFrom } of env) {
    const key = valueFrom?.secretKeyRef?.key;
    variables[name] = key === undefined ? (value ?? '') : `secret-of-${key}`;
    variables[name] = variables[name].replace(
      /\$\((\w+)\)/g,
      (reference, other: string) => variables[other] ?? reference,
    );
  }
  return variables;
};

/** The settings that an app starts with. @throws SettingsError as the app would */
export const settingsOf = (
  manifests: readonly Manifest[],
  pod: Pod,
  secrets: Readonly<Record<string, string>> = {},
): Settings => {
  const volume = pod.volumes.find(({ name }) => name === 'settings')?.configMap;
  const [container] = pod.containers;
  const folder = container.volumeMounts.find(({ name }) => name === 'settings')?.mountPath;
  const files = Object.fromEntries((volume?.items ?? []).map(({ key, path }) => [`${folder}/${path}`, key]));
  const { data } = manifests.find(({ metadata }) => metadata.name === volume?.name) ?? {};
  return settingsFrom(environmentOf(container, secrets), (path) => data?.[files[path] ?? ''] ?? null);
};
