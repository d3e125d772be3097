import { Vocabulary } from '../model/vocabulary';
import type { ModelFolder } from '../model/model-folder';
import { ChatTemplate } from './chat-template';
import type { Grouping, PartRequest } from './part-request';
import type { EncodedPart, PartSource } from './encoded-part';
import { SegmentEncoder } from './segment-encoder';
import { TextRenderer } from './text-renderer';

/** Renders and encodes parts of prompts. Takes its time: see `RenderPool` for threads that do it. */
export class PartMaker {
  /** How prompts are to be cut. */
  readonly grouping: Grouping | null;
  private readonly renderer: TextRenderer;
  private readonly encoder: SegmentEncoder;

  constructor(model: ModelFolder) {
    this.encoder = new SegmentEncoder(model, new Vocabulary(model));
    this.renderer = new TextRenderer(new ChatTemplate(model.template, model.config), this.encoder.borders);
    this.grouping = this.renderer.grouping;
  }

  /**
   * A part in tokens; null where it does not stand by itself.
   * @param name JSON of a `PartRequest`
   * @throws what the template throws for messages that it refuses
   */
  make(name: string): EncodedPart | null {
    const text = this.renderer.render(JSON.parse(name) as PartRequest);
    return text === null ? null : this.encodePart(text);
  }

  /** Ids of a text without added tokens. */
  encode(text: string): readonly number[] {
    return this.encoder.encode(text).ids;
  }

  private encodePart(text: string): EncodedPart {
    const segments = this.encoder.split(text);
    const encoded = segments.map((segment) => this.encoder.encode(segment));
    let [id, byte] = [0, 0];
    const idEnds = encoded.map(({ ids }) => (id += ids.length));
    const json = encoded.map((each) => each.json).join(',');
    const jsonEnds = encoded.map((each, i) => (byte += each.json.length + (i === 0 ? 0 : 1)));
    const ids = new Int32Array(id);
    encoded.forEach((each, i) => {
      ids.set(each.ids, (idEnds[i] ?? 0) - each.ids.length);
    });
    return { segments, ids, idEnds, json: Uint8Array.from(Buffer.from(json, 'latin1')), jsonEnds };
  }
}

/** A source of parts in this very thread: for tools and tests, which may wait. */
export const partsHere = (model: ModelFolder): PartSource => {
  const maker = new PartMaker(model);
  return {
    grouping: Promise.resolve(maker.grouping),
    parts: (names) => Promise.resolve(names.map((name) => maker.make(name))),
    encode: (texts) => Promise.resolve(texts.map((text) => maker.encode(text))),
  };
};
