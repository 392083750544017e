import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../base/errors';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type AllowedRequests, listResult, type ServerConnection } from '../../../host';
import type { Finding } from './lint';

const UNKNOWN = 'mcp-host-no-such-thing';
const HUGE = 1024 * 1024;
/** An answer to any of these takes a moment. */
const PATIENCE_MS = 10_000;

/** Failures by which a server says that it could not take a request, as it should. */
const REFUSED = new Set<HostError['code']>(['PROTOCOL', 'CANCELLED']);

/**
 * Sends what a server should refuse, and looks whether it does, and goes on. Calls no tool but one that says that it only reads;
 * to be run only after the person has agreed.
 * @param call makes a call that the person has agreed to. Undefined: this tool may not be called.
 * @param signal ends it early.
 */
export async function probeFaults(
  server: ServerConnection,
  requests: AllowedRequests,
  call: (tool: Tool, args: Record<string, unknown>, signal: AbortSignal) => Promise<CallToolResult | undefined>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { capabilities } = server.info ?? {};
  const reader = server.catalog.tools.find(isReader);
  const missing: Tool = { name: UNKNOWN, inputSchema: { type: 'object' } };
  const probes: readonly (readonly [what: Phrase, applies: unknown, run: () => Promise<unknown>, mayAnswer?: true])[] =
    [
      [
        phrase('a request for a page that does not exist'),
        capabilities?.tools,
        () =>
          requests.forward(
            { method: 'tools/list', params: { cursor: UNKNOWN } },
            phrase('list its tools'),
            listResult('tools'),
            { signal, timeoutMs: PATIENCE_MS },
          ),
      ],
      [
        phrase('a call to a tool that does not exist'),
        capabilities?.tools,
        async () => {
          const result = await call(missing, {}, signal);
          if (!result || result.isError) throw refusal;
        },
      ],
      [
        phrase('a request for a prompt that does not exist'),
        capabilities?.prompts,
        () => requests.getPrompt(UNKNOWN, {}, signal),
      ],
      [
        phrase('a request for a resource that does not exist'),
        capabilities?.resources,
        () => requests.readResource(`${UNKNOWN}://nothing`, signal),
      ],
      [
        phrase('a call that was cancelled immediately'),
        reader,
        () => {
          const cancel = new AbortController();
          const called = call(reader!, {}, AbortSignal.any([cancel.signal, signal]));
          cancel.abort();
          return called;
        },
        true,
      ],
      [
        phrase('an argument of 1 MB'),
        reader,
        () => call(reader!, { [textArgument(reader!)]: 'x'.repeat(HUGE) }, signal),
        true,
      ],
    ];
  for (const [what, applies, run, mayAnswer] of probes) {
    if (!applies || signal.aborted) continue;
    const failure = await run().then(
      () => undefined,
      (error: HostError) => error,
    );
    if (signal.aborted) break;
    const isDown = server.state.kind !== 'ready';
    const isOdd = failure !== undefined && failure !== refusal && !REFUSED.has(failure.code);
    if (isDown || isOdd) findings.push(brokeAt(what, failure));
    else if (failure === undefined && !mayAnswer) findings.push(answered(what));
    if (isDown) break;
  }
  return findings;
}

/** A tool that has refused in its result, or is not to be called. */
const refusal = { code: 'REFUSED' } as unknown as HostError;

const isReader = ({ annotations, inputSchema: { properties } }: Tool) =>
  annotations?.readOnlyHint === true && Object.values(properties ?? {}).some(isText);

const isText = (schema: unknown) => isObject(schema) && schema.type === 'string';

const textArgument = ({ inputSchema: { properties } }: Tool) =>
  Object.entries(properties ?? {}).find(([, schema]) => isText(schema))?.[0] ?? 'text';

const answered = (what: Phrase): Finding => ({
  rule: 'fault-answer',
  severity: 'warning',
  where: '',
  message: phrase('It accepted {0} instead of reporting an error.', what),
});

const brokeAt = (what: Phrase, failure: HostError | undefined): Finding => ({
  rule: 'fault-silence',
  severity: 'warning',
  where: '',
  message: phrase('It failed on {0}: {1}', what, visible(failure?.code ?? 'EXITED', 40)),
});
