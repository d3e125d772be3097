/** One tool call as the model wrote it. */
export interface ParsedCall {
  /** Only where the dialect writes one; a client expects it back. */
  readonly id?: string;
  readonly name: string;
  /** A JSON object, in the model's own spelling where that is JSON. */
  readonly arguments: string;
}

/** JSON schema of each tool's parameters, by the tool's name. */
export type ToolSchemas = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** How a family of models writes its tool calls. */
export interface ToolDialect {
  /** Mark in front of a call, or of a group of calls. */
  readonly open: string;
  /** Mark behind it; null where calls go on to the end of the answer. */
  readonly close: string | null;
  /** Marks between the two. */
  readonly inner?: readonly string[];
  /** Whether an answer that begins with a brace may be a call without a mark. */
  readonly bare?: boolean;
  /**
   * The calls between the marks, null for anything that is not well formed: it stays text.
   *
   * @param body text between the marks, whole
   */
  readonly parse: (body: string, schemas: ToolSchemas) => ParsedCall[] | null;
}
