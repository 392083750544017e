import type { ReadResourceResult } from '@modelcontextprotocol/client';
import type { AskApproval, Flow, Pins, RefusedCall, Requests, ToolCalls } from '../features/trust/core';
import type { ServerConnection } from '../host';
import type { OfferedToModels } from './toolsForModels';

/** The checks between the editor's client and a server. */
export interface GatewayTrust {
  readonly calls: Pick<ToolCalls, 'approve' | 'isAllowed'>;
  readonly requests: Pick<Requests, 'as'>;
  readonly flow: () => Pick<Flow, 'trailOf'>;
  /** Which tools models are offered. Absent: all that are for models. */
  readonly offered?: OfferedToModels;
  /** Asks about a call that the editor may have let through: of a tool that only reads, or has changed. */
  readonly ask: AskApproval;
  /**
   * Who asks about a call that no rule allows: the client, whose answers count; MCP Host, in place of a client that asks nothing about
   * tools that only read; or both.
   */
  readonly asker: (server: ServerConnection) => 'both' | 'client' | 'host';
  /**
   * The tools of a server that the client was last given as readers, also in an earlier window: until it has a new list, it asks nothing about
   * these. Absent: for clients that keep no lists.
   */
  readonly readers?: {
    of(server: ServerConnection): readonly string[];
    keep(server: ServerConnection, names: readonly string[]): void;
  };
  readonly pins: Pins;
  /**
   * The page of an app for a client that draws it, with what the person agreed to. Asks them; rejects if they do not agree. Absent: for
   * clients that are not the editor's.
   */
  readonly appPage?: (server: ServerConnection, uri: string, read: ReadResourceResult) => Promise<ReadResourceResult>;
}

/** A refused call, or a prompt that was withheld: the person may want to do something about it. */
export interface GatewayRefusal {
  readonly server: ServerConnection;
  readonly why: RefusedCall['why'];
}
