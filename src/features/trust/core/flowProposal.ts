import type { Tool } from '@modelcontextprotocol/client';
import type { ServerDefinition } from '../../../host/definition';

/**
 * Data-flow marks of a server: its results may hold private data or content that strangers wrote, and its arguments may leave
 * the machine. A model that has read the first two can be talked into the third.
 */
export const FLOW_MARKS = ['private', 'untrusted', 'sends'] as const;
export type FlowMark = (typeof FLOW_MARKS)[number];

/** Only servers whose names are unambiguous. For all others, the person knows better. */
const KNOWN: readonly (readonly [name: RegExp, marks: readonly FlowMark[]])[] = [
  [/[/-]server-(filesystem|memory|postgres|sqlite|git)$|^mcp-server-(git|sqlite)$/, ['private']],
  [/[/-]server-(fetch|puppeteer|brave-search)$|^mcp-server-fetch$|^@playwright\/mcp$/, ['untrusted', 'sends']],
  [/[/-]server-(github|gitlab|slack)$|\/github-mcp-server$/, ['private', 'untrusted', 'sends']],
];
const MAX_WORDS = 200;
const MAX_WORD = 300;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const SAYS_WHO = /^(authorization|cookie|.*(api-?key|token))$/i;

/**
 * The marks that a server gets by default. Only explicit hints of its tools count, not the defaults of the specification:
 * otherwise every server would have all marks and every call would be a question.
 * @param signedIn whether it answers for an account of the person.
 */
export function proposedMarks(
  { entry }: Pick<ServerDefinition, 'entry'>,
  tools: readonly Pick<Tool, 'annotations'>[],
  signedIn: boolean,
): ReadonlySet<FlowMark> {
  const marks = new Set<FlowMark>();
  if (entry?.type === 'stdio') {
    for (const word of [entry.command, ...entry.args].slice(0, MAX_WORDS)) {
      // Without version, tag or digest; the first letter may be the @ of a scope.
      const name = word.slice(0, MAX_WORD).replace(/(?<=.)(==|[@:](?!.*\/)).*$/s, '');
      for (const [known, given] of KNOWN) if (known.test(name)) for (const mark of given) marks.add(mark);
    }
  } else if (entry) {
    if (!URL.canParse(entry.url) || !LOOPBACK.test(new URL(entry.url).hostname)) marks.add('sends');
    if (signedIn || Object.keys(entry.headers ?? {}).some(name => SAYS_WHO.test(name))) marks.add('private');
  }
  if (tools.some(({ annotations }) => annotations?.openWorldHint === true)) marks.add('untrusted').add('sends');
  return marks;
}
