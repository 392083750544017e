import type { Prompt, Tool } from '@modelcontextprotocol/client';
import type { Event } from '../../base/events';
import type { ServerConnection } from '../../host';
import type { ServerId } from '../../host/definition';

const MARKED = ['tools', 'prompts'];

/**
 * `new` since the server was first offered to a model; `changed` since it was accepted; `blocked` because of such a change.
 */
export type RowMark = 'new' | 'changed' | 'blocked';

/** Marks on rows of the Servers view that tell how an item compares with what the person has accepted. */
export interface RowMarks {
  /** The marks of one server changed, or, if undefined, those of all. */
  readonly onDidChange: Event<ServerId | undefined>;
  of(
    server: ServerConnection,
    item: { kind: 'tools'; item: Tool } | { kind: 'prompts'; item: Prompt },
  ): RowMark | undefined;
  instructions(server: ServerConnection): RowMark | undefined;
  /** How many changes wait for a person. */
  changes(server: ServerConnection): number;
}

/** Whether rows of this kind are marked: only those of items that models are given. */
export function isMarked<N extends { kind: string }>(node: N): node is N & { kind: 'tools' | 'prompts' } {
  return MARKED.includes(node.kind);
}
