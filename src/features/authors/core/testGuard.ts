import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { type Phrase, PhraseError } from '../../../base/phrase';
import type { AllowedRequests, OpenRequests, ServerConnection } from '../../../host';
import type { Requests, ToolCalls } from '../../trust';

type Arguments = Readonly<Record<string, unknown>>;

/** The ways by which the steps of a test reach its server. */
export interface TestDoors {
  /** Rejects with `DeniedCall` when the call may not be made. */
  call(server: ServerConnection, tool: Tool, args: Arguments, signal: AbortSignal): Promise<CallToolResult>;
  /** Those reject with a `HostError` `DENIED` or `CHANGED` when they may not be made. */
  readonly requests: (
    server: ServerConnection,
  ) => Pick<AllowedRequests, 'readResource' | 'getPrompt' | 'complete' | 'subscribe'>;
}

/** What stands between tests and their servers. */
export interface TestGuard {
  /** @param open `McpHost.requests` of the host that a test has for its server. */
  doors(open: OpenRequests): TestDoors;
  /** Why a server may not be told of this folder. Undefined: it may be. */
  rootProblem(path: string): Phrase | undefined;
}

/** A call that something denied. It is no answer of the server: no expectation of a test fits it. */
export class DeniedCall extends PhraseError {}

/**
 * The policy of a window for the tests of one file, as for all other callers but without questions: the person has decided before the
 * run whether it may use the server. Denials and blocked changes hold, and each request is in the audit log.
 *
 * @param path of the file, for the audit log.
 */
export function guarded(
  { calls, requests }: { readonly calls: Pick<ToolCalls, 'over'>; readonly requests: Pick<Requests, 'over'> },
  path: string,
  rootProblem: TestGuard['rootProblem'],
): TestGuard {
  const client = { id: path, name: path };
  return {
    doors: open => {
      const guardedCalls = calls.over(open);
      return {
        requests: requests.over(open).as({ origin: 'test', client }),
        call: async (server, tool, args, signal) => {
          const approved = await guardedCalls.approveTest({ server, tool, args: { ...args }, client });
          if (!approved.approved) throw new DeniedCall(approved.message);
          return (await approved.run({ signal })).result;
        },
      };
    },
    rootProblem,
  };
}

/**
 * Denies, limits and records nothing. For `mcptest.js`, which runs without a window, where approvals, denials, pins and the audit
 * log are kept. As with any test runner, whoever runs it decides what runs: a test file can start any program anyway.
 */
export const UNGUARDED: TestGuard = {
  doors: open => ({
    call: (server, tool, args, signal) => open(server).callTool(tool, { ...args }, { signal }),
    requests: server => {
      const raw = open(server);
      return {
        readResource: (uri, signal) => raw.readResource(uri, signal),
        getPrompt: (name, args, signal) => raw.getPrompt(name, args, signal),
        complete: (params, signal) => raw.complete(params, signal),
        subscribe: uri => {
          const subscription = raw.subscribe(uri);
          return { allowed: Promise.resolve(), dispose: () => subscription.dispose() };
        },
      };
    },
  }),
  rootProblem: () => undefined,
};
