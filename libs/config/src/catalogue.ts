import { definitionsOf, type SettingDefinition } from './setting.decorator';
import { Settings, type SectionName } from './settings';

/** A setting with its place: everything that is needed to find, check and name it. */
export interface CatalogueEntry extends SettingDefinition {
  readonly section: SectionName;
  /** Path in the file, e.g. `judge.timeout_s`. */
  readonly path: string;
  /** Variables, the one that wins first. */
  readonly env: readonly string[];
  readonly default: unknown;
}

/** Every setting of the product, by section, in the order of their definition. */
export const CATALOGUE: readonly CatalogueEntry[] = Object.entries(new Settings()).flatMap(([name, section]) =>
  definitionsOf(section as object).map((definition) => entryOf(name as SectionName, section as object, definition)),
);

function entryOf(section: SectionName, defaults: object, definition: SettingDefinition): CatalogueEntry {
  const { key, property, aliases } = definition;
  return {
    ...definition,
    section,
    path: `${section}.${key}`,
    env: [`OPENCLAW_RL_${section}_${key}`.toUpperCase(), ...aliases],
    default: (defaults as Record<string, unknown>)[property],
  };
}
