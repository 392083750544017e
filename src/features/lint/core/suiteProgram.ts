import { tmpdir } from 'node:os';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { runProgram } from '../../../host';
import type { ProgramPorts, ServerDefinition } from '../../../host/definition';
import { findProgram } from '../../../host/launch';

/** The oldest version of Node that the suite and its packages run on. */
export const SUITE_NODE = '20.18';
const VERSION_MS = 10_000;

/** What the suite would lack here, looked up before the person is asked to run it. Undefined: nothing. */
export async function missingForSuite(
  definition: ServerDefinition,
  ports: ProgramPorts,
  signal = new AbortController().signal,
): Promise<Phrase | undefined> {
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
    signal,
    onLine: line => {
      version ||= line.trim();
    },
  });
  return isOlder(version) ? phrase('{0} is Node {1}', visible(node, 200), visible(version, 40)) : undefined;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = SUITE_NODE.split('.').map(Number);
  const found = /^v(\d+)\.(\d+)\./.exec(version);
  if (!found) return false;
  const [has, minorOf] = [Number(found[1]), Number(found[2])];
  return has < major || (has === major && minorOf < minor);
}
