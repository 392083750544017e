import type { ElicitResult } from '@modelcontextprotocol/client';
import type { ServerDefinition } from '../../../host/definition';

/** One question of a server to the person. */
export interface Question {
  readonly server: ServerDefinition;
  /** The server's own words. */
  readonly message: string;
  /**
   * The name of the extension or the agent whose call caused the question. Absent when there is none, or several are possible.
   */
  readonly client?: string | undefined;
  /** Aborted when it is withdrawn: the server cancelled it, or ended. */
  readonly signal: AbortSignal;
}

/** No answer (spec: client/elicitation#response-actions). */
export const cancelled: ElicitResult = { action: 'cancel' };
/** A no. */
export const declined: ElicitResult = { action: 'decline' };
