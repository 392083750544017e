import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBounded } from '../../../base/files';
import { objectsOf, parsedJson } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { runProgram, type ServerConnection } from '../../../host';
import type { ProgramPorts, ServerDefinition } from '../../../host/definition';
import { findProgram, quoted } from '../../../host/launch';
import { socketOf } from '../../../host/settings';
import type { Finding } from './lint';

/** The official suite. The version is that of our own dependency, which our tests run. */
export const SUITE = '@modelcontextprotocol/conformance';
export const SUITE_VERSION = '0.2.0-alpha.12';

/** Together, with what npx takes to fetch it. */
export const SUITE_MINUTES = 5;
/** For one scenario. */
const SCENARIO_MS = 15_000;
const RESULTS = 'results';
const HOME = 'https://github.com/modelcontextprotocol/conformance';
const MAX_RESULTS = 500;
const MAX_RESULT_BYTES = 2 * 1024 * 1024;
const MAX_FINDINGS = 50;

/** Revisions of the protocol for which the suite has a list of what they require. */
const LISTED = ['2025-11-25', '2026-07-28'];

type CheckedServer = Pick<ServerConnection, 'info' | 'definition'> & {
  readonly account: Pick<ServerConnection['account'], 'offersSignIn'>;
  readonly catalog: Pick<ServerConnection['catalog'], 'tools' | 'prompts'>;
};
type Capabilities = NonNullable<ServerConnection['info']>['capabilities'];

/** The address for the suite, or why it cannot be run against this server. */
export function suiteAddress({
  info,
  definition: { entry, secrets },
  account,
}: CheckedServer): { url: string } | Phrase {
  if (!entry || entry.type === 'stdio' || info?.transport !== 'http' || socketOf(entry.url) || !URL.canParse(entry.url))
    return phrase('The conformance suite speaks Streamable HTTP only, and this server does not.');
  const { url, headers } = entry;
  const hasSecret = url.includes('${') || secrets.some(secret => secret !== '' && url.includes(secret));
  if (hasSecret || account.offersSignIn || Object.keys(headers).length > 0)
    return phrase(
      'The conformance suite gets none of your headers, secrets and sign-ins, so it is not run against a server that needs them.',
    );
  return { url };
}

/** @param program what runs the suite. */
export function suiteCommand(
  url: string,
  protocolVersion: string,
  program = `npx -y ${SUITE}@${SUITE_VERSION}`,
): string {
  const revision = LISTED.includes(protocolVersion) ? '--requirements' : '--spec-version';
  const limits = `--timeout ${SCENARIO_MS} --output-dir ${RESULTS}`;
  return `${program} server --url ${quoted(url)} ${revision} ${protocolVersion} ${limits}`;
}

interface SuiteRun extends Pick<Parameters<typeof runProgram>[0], 'commandLine'> {
  readonly definition: ServerDefinition;
  readonly ports: ProgramPorts;
  readonly signal: AbortSignal;
  readonly minutes?: number;
}

/** A scenario of the suite, and what it found wrong. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly failures: readonly { readonly message: string; readonly link: string }[];
}

/**
 * Runs the suite in an empty folder, where no settings of npm from a workspace count, and in which its results are. What it has
 * started ends with it. Never rejects for what it does.
 * @returns its results, or why there are none; undefined when it was cancelled.
 */
export async function runSuite(
  run: SuiteRun,
): Promise<readonly ScenarioResult[] | { reason: Phrase | string } | undefined> {
  const { commandLine, definition, ports, signal, minutes = SUITE_MINUTES } = run;
  const cwd = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  const limit = AbortSignal.timeout(minutes * 60_000);
  let last = '';
  try {
    const reason = await runProgram({
      admitted: await ports.launch.admit(definition, 'conformance'),
      ports,
      commandLine,
      cwd,
      timeoutMs: 2 * minutes * 60_000, // the limit below ends it before
      signal: AbortSignal.any([signal, limit]),
      onLine: line => {
        if (line.trim() !== '') last = line;
      },
    });
    if (signal.aborted) return undefined;
    if (limit.aborted) return { reason: phrase('it took longer than {0} minutes', minutes) };
    const results = await readResults(join(cwd, RESULTS));
    if (results.length > 0) return results;
    const why = reason ?? phrase('it had no results');
    return { reason: last === '' ? why : phrase('{0}: {1}', why, visible(last, 300)) };
  } finally {
    await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The suite makes a folder for each scenario, with a date behind its name. */
async function readResults(folder: string): Promise<ScenarioResult[]> {
  const names = await readdir(folder).catch(() => []);
  const results: ScenarioResult[] = [];
  for (const name of names.sort().slice(0, MAX_RESULTS)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    const text = await readBounded(join(folder, name, 'checks.json'), MAX_RESULT_BYTES).catch(() => undefined);
    if (scenario !== undefined && text !== undefined) results.push({ scenario, failures: failuresIn(text) });
  }
  return results;
}

function failuresIn(text: string): ScenarioResult['failures'] {
  const checks = parsedJson(text);
  if (checks === undefined) return [{ message: 'its result cannot be read', link: HOME }];
  return objectsOf(checks)
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage, specReferences }) => {
      const urls = objectsOf(specReferences).map(({ url }) => String(url));
      const link = urls.find(url => url.startsWith('https://modelcontextprotocol.io/'));
      return { message: String(errorMessage ?? id), link: link ?? HOME };
    });
}

/** Scenarios that any server has to pass, or any that has the capability. */
const FOR_ANY: Readonly<Record<string, keyof Capabilities | undefined>> = {
  'server-initialize': undefined,
  'server-session-lifecycle': undefined,
  'server-stateless': undefined,
  'server-sse-multiple-streams': undefined,
  'dns-rebinding-protection': undefined,
  caching: undefined,
  ping: undefined,
  'logging-set-level': 'logging',
  'tools-list': 'tools',
  'prompts-list': 'prompts',
  'resources-list': 'resources',
  'sep-2164-resource-not-found': 'resources',
};
/** Others use tools, prompts and resources that only a server for the suite has. */
const FOR_SUITE = /^(tools-call|prompts-get|resources-|completion-|elicitation-|input-required-)/;
const OF_SUITE = /^test_/;
/** Failures to ignore: the check needs items of the suite's own server. */
const NEEDS_ITEMS = /\btest_\w|\btest:\/\/|^Not testable\b/;

export interface SuiteVerdict {
  readonly findings: readonly Finding[];
  /** How many of the scenarios that apply have failed, of how many. */
  readonly failed: number;
  readonly applied: number;
  /** Those that need what only a server for the suite has. */
  readonly leftOut: number;
}

export function suiteVerdict(results: readonly ScenarioResult[], { info, catalog }: CheckedServer): SuiteVerdict {
  const isForSuite = [...catalog.tools, ...catalog.prompts].some(({ name }) => OF_SUITE.test(name));
  const applies = (scenario: string) => {
    if (!Object.hasOwn(FOR_ANY, scenario)) return isForSuite && FOR_SUITE.test(scenario);
    const needed = FOR_ANY[scenario];
    return needed === undefined || info?.capabilities[needed] !== undefined;
  };
  const applied = results.filter(({ scenario }) => applies(scenario));
  const failed = applied
    .map(({ scenario, failures }) => ({
      scenario,
      failures: failures.filter(({ message }) => isForSuite || !NEEDS_ITEMS.test(message)),
    }))
    .filter(({ failures }) => failures.length > 0);
  const findings = failed.flatMap(({ scenario, failures }) =>
    failures.map(({ message, link }): Finding => {
      const said = phrase('{0} (see {1})', visible(message, 300), visible(link, 300));
      return { rule: 'conformance', severity: 'warning', where: `conformance/${scenario}`, message: said };
    }),
  );
  return {
    findings: findings.slice(0, MAX_FINDINGS),
    failed: failed.length,
    applied: applied.length,
    leftOut: results.length - applied.length,
  };
}

/** The oldest version of Node that the suite and its packages run on. */
export const SUITE_NODE = '20.18';
const VERSION_MS = 10_000;

/** What the suite would lack here, looked up before the person is asked to run it. Undefined: nothing. */
export async function missingForSuite(definition: ServerDefinition, ports: ProgramPorts): Promise<Phrase | undefined> {
  const PATH = (await ports.shellPath()) ?? process.env.PATH;
  const find = (name: string) => findProgram(name, { ...process.env, PATH }, definition.place.clearOf);
  if (find('npx') === undefined) return phrase('{0} was not found', 'npx');
  const node = find('node');
  if (node === undefined) return undefined; // this npx is run by something else
  let version = '';
  await runProgram({
    admitted: await ports.launch.admit(definition, 'conformance'),
    ports,
    commandLine: [node, '--version'],
    cwd: tmpdir(),
    timeoutMs: VERSION_MS,
    signal: new AbortController().signal,
    onLine: line => {
      version ||= line.trim();
    },
  });
  return isOlder(version) ? phrase('{0} is Node {1}', visible(node, 200), visible(version, 40)) : undefined;
}

const isOlder = (version: string): boolean =>
  /^v\d+\.\d+\./.test(version) && version.slice(1).localeCompare(SUITE_NODE, 'en', { numeric: true }) < 0;
