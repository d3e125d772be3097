import { inspect } from 'node:util';
import { redact } from './redact';
import { isSecret } from './setting.decorator';

/** Base of every section: prints itself without its secrets, in JSON and in logs alike. */
export abstract class SettingsSection {
  toJSON(): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this).map(([property, value]) => [property, redact(value, isSecret(this, property))]),
    );
  }

  [inspect.custom](): Record<string, unknown> {
    return this.toJSON();
  }
}
