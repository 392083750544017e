import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { resolveDefinitions } from '../../../host';
import { type DefinitionSource, type ServerDefinition, testId } from '../../../host/definition';
import { TEST_FILE, type TestFile } from './readTestFile';
import { MAX_PROBLEMS, type PlacedProblem } from './sourceText';
import { rootsOf } from './testRoots';

/** Which server a test file starts, or what is wrong with what it says of it. */
type TestedServer = { readonly definition: ServerDefinition } | { readonly problems: readonly PlacedProblem[] };

/**
 * The definition of the server that a test file describes, or names. Paths in the file, and `${workspaceFolder}`, mean the folder
 * of the file, so that a test is the same in an editor and without one.
 *
 * @param path of the file. @param named finds an entry of settings.
 */
export function testedServer(
  path: string,
  file: TestFile,
  named: (name: string) => ServerDefinition | undefined,
): TestedServer {
  const { server, serverPlace } = file;
  if (typeof server === 'string') {
    const definition = named(server);
    const missing = phrase('There is no server named "{0}" in settings.', visible(server, 60));
    return definition ? { definition } : { problems: [{ place: serverPlace([]), message: missing }] };
  }
  const folder = dirname(path);
  const name = basename(path).replace(TEST_FILE, '').slice(0, 60).trim() || 'server';
  const source: DefinitionSource = { scope: 'workspaceFolder', folder: { name: basename(folder), path: folder } };
  const variables = {
    workspaceFolder: folder,
    workspaceFolders: [[basename(folder), folder]] as const,
    userHome: homedir(),
    env: (variable: string) => process.env[variable],
    config: () => undefined,
  };
  const { definitions, problems } = resolveDefinitions([{ source, value: { [name]: server }, variables }]);
  const errors = problems
    .flatMap(found => found.problems)
    .filter(({ severity }) => severity === 'error')
    .slice(0, MAX_PROBLEMS)
    .map(({ path: [, ...rest], message, onKey }) => ({ place: serverPlace(rest, onKey), message }));
  const [definition] = definitions;
  if (errors.length > 0 || !definition?.entry) return { problems: errors };
  // Servers of settings are told apart from it by this, wherever something is kept of them.
  return {
    definition: { ...definition, id: testId(path), entry: { ...definition.entry, roots: rootsOf(file, path) } },
  };
}
