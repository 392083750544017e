import type { ClientCapabilities } from '@modelcontextprotocol/client';

/** The requests that the capabilities allow a server to make as tasks. */
export function taskMethods({ tasks }: ClientCapabilities = {}): ReadonlySet<string> {
  const { sampling, elicitation } = tasks?.requests ?? {};
  return new Set([
    ...(sampling?.createMessage ? ['sampling/createMessage'] : []),
    ...(elicitation?.create ? ['elicitation/create'] : []),
  ]);
}
