import type { ReceivedSpan } from '@app/testing';

const INDENT = '  ';

/** Whose parent is not among the spans. */
export const rootsOf = (spans: readonly ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter(({ parentSpanId }) => !spans.some(({ spanId }) => spanId === parentSpanId));

/** Spans as a tree, in lines `app name` that are indented by depth and sorted; equal branches side by side stand once. */
export const spanTree = (spans: readonly ReceivedSpan[]): string[] => {
  const linesOf = (span: ReceivedSpan): string[] => [
    `${span.app} ${span.name}`,
    ...branchesOf(spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)).map((line) => INDENT + line),
  ];
  const branchesOf = (siblings: readonly ReceivedSpan[]): string[] =>
    [...new Set(siblings.map((span) => linesOf(span).join('\n')))].sort().flatMap((branch) => branch.split('\n'));
  return branchesOf(rootsOf(spans));
};
