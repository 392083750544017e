import type { Prompt, Tool } from '@modelcontextprotocol/client';
import type { Event } from '../../base/events';
import type { ServerConnection, ServerId } from '../../host';

const MARKED = ['tools', 'prompts'];

/** `new` since the server was first offered to a model; `changed` since it was accepted, or `blocked` for that. */
export type RowMark = 'new' | 'changed' | 'blocked';

/** What the rows of the Servers view say of what a person has accepted. */
export interface RowMarks {
  /** Marks of one server changed; undefined: of all. */
  readonly onDidChange: Event<ServerId | undefined>;
  of(
    server: ServerConnection,
    item: { kind: 'tools'; item: Tool } | { kind: 'prompts'; item: Prompt },
  ): RowMark | undefined;
  instructions(server: ServerConnection): RowMark | undefined;
  /** How many changes wait for a person. */
  changes(server: ServerConnection): number;
}

/** Whether rows of this kind are marked: only what a model is given. */
export function isMarked<N extends { kind: string }>(node: N): node is N & { kind: 'tools' | 'prompts' } {
  return MARKED.includes(node.kind);
}
