import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '@app/config';
import { Detokenizer, readModelFolder, Vocabulary } from '@app/tokens';

/**
 * What tokens add to a text, by the vocabulary in `server.tokenizer`. A character that several tokens make up stands with the
 * last of them.
 */
@Injectable()
export class TokenTexts {
  private vocabulary: Vocabulary | null | undefined;

  constructor(private readonly settings: Settings) {}

  /** One text for each id; null without a vocabulary. */
  of(ids: readonly number[]): string[] | null {
    // Once, also where there is none.
    if (this.vocabulary === undefined) this.vocabulary = this.load();
    const { vocabulary } = this;
    if (vocabulary === null) return null;
    const shown = vocabulary.added.map(({ content }) => content);
    const detokenizer = new Detokenizer(vocabulary, { shown });
    const texts = ids.map((id) => detokenizer.push([id]));
    const rest = detokenizer.end();
    return rest === '' ? texts : [...texts.slice(0, -1), (texts.at(-1) ?? '') + rest];
  }

  private load(): Vocabulary | null {
    const folder = this.settings.server.tokenizer;
    if (folder === null) return null;
    try {
      return new Vocabulary(readModelFolder(folder));
    } catch (error) {
      // Not worth a stop: tokens are shown by their ids.
      new Logger('console').warn(error instanceof Error ? error.message : String(error));
      return null;
    }
  }
}
