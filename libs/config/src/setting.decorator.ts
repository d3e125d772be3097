import type { Kind } from './kinds';

/** The single definition of a setting, minus its default: that is the property's initial value. */
export interface SettingDefinition {
  /** Name of the property in its section class, e.g. `timeoutS`. */
  readonly property: string;
  /** Name of the key in the file, e.g. `timeout_s`. */
  readonly key: string;
  /** One line for people. */
  readonly about: string;
  readonly kind: Kind;
  /** Published variables that mean the same; the setting's own variable wins over them. */
  readonly aliases: readonly string[];
  readonly secret: boolean;
  /** How the default is described, where it is not a plain value. */
  readonly shownDefault: string | null;
}

interface SettingOptions {
  readonly aliases?: readonly string[];
  readonly secret?: boolean;
  readonly shownDefault?: string;
}

const definitions = new WeakMap<object, SettingDefinition[]>();
const secrets = new WeakMap<object, Set<string>>();

/** Makes a property of a section class a setting: one line about it, and what it may be. */
export function Setting(about: string, kind: Kind, options: SettingOptions = {}): PropertyDecorator {
  return (prototype, name) => {
    const property = String(name);
    for (const check of kind.checks) check(prototype, name);
    const { aliases = [], secret = false, shownDefault = null } = options;
    const known = definitions.get(prototype) ?? [];
    definitions.set(prototype, [
      ...known,
      { property, key: snakeCase(property), about, kind, aliases, secret, shownDefault },
    ]);
    if (secret) Secret()(prototype, name);
  };
}

/** Marks a property that never may be printed. */
export function Secret(): PropertyDecorator {
  return (prototype, name) => {
    secrets.set(prototype, new Set([...(secrets.get(prototype) ?? []), String(name)]));
  };
}

/** The settings of a section, in the order of their definition. */
export function definitionsOf(section: object): readonly SettingDefinition[] {
  return definitions.get(Object.getPrototypeOf(section) as object) ?? [];
}

/** Whether a property of a section may not be printed. */
export function isSecret(section: object, property: string): boolean {
  return secrets.get(Object.getPrototypeOf(section) as object)?.has(property) ?? false;
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
