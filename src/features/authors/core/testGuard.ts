import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { PhraseError } from '../../../base/phrase';
import type { ServerConnection } from '../../../host';

/** What stands between the calls of tests and their servers. */
export interface TestCalls {
  /** Makes a call. Rejects with `DeniedCall` when it may not be made, otherwise as `make` does. */
  call(
    server: ServerConnection,
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    make: () => Promise<CallToolResult>,
  ): Promise<CallToolResult>;
}

/** A call that something denied. It is no answer of the server: no expectation of a test fits it. */
export class DeniedCall extends PhraseError {}

/** Denies and records nothing: for a program in a shell, where whoever types the command has decided. */
export const UNGUARDED: TestCalls = { call: (_server, _tool, _args, make) => make() };
