import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { isWithin, realPlace } from '../../../base/filePlace';
import { fingerprint } from '../../../base/fingerprint';
import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { isSecretPlace, resolveDefinitions } from '../../../host';
import {
  type DefinitionSource,
  KeptFor,
  KeptRecords,
  type ProgramStore,
  type ServerDefinition,
  testId,
} from '../../../host/definition';
import { TEST_FILE, type TestFile } from './readTestFile';
import { MAX_PROBLEMS, type PlacedProblem } from './sourceText';
import type { TestGuard } from './testSession';

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
  const variables = variablesIn(folder);
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

/** The variables of an entry that no settings file has. */
export const variablesIn = (folder: string) => ({
  workspaceFolder: folder,
  workspaceFolders: [[basename(folder), folder]] as const,
  userHome: homedir(),
  env: (variable: string) => process.env[variable],
  config: () => undefined,
});

/** The folders that tests of a file tell their server of, but not those in the empty folder of a test. */
export function rootsOf({ roots, emptyFolder }: Pick<TestFile, 'roots' | 'emptyFolder'>, path: string): string[] {
  return emptyFolder ? roots.filter(root => isAbsolute(root)) : roots.map(root => resolve(dirname(path), root));
}

/** Roots lie in one of these folders, wherever links lead, and in no place where secrets are kept. */
export function rootsWithin(folders: readonly string[]): TestGuard['rootProblem'] {
  return path => {
    const real = realPlace(path);
    const isInside = real !== undefined && folders.some(folder => isWithin(realPlace(folder) ?? folder, real));
    if (!isInside) return phrase('The root {0} is not in a workspace folder.', visible(path, 200));
    return isSecretPlace(real)
      ? phrase('The root {0} is a place where secrets are kept.', visible(path, 200))
      : undefined;
  };
}

/** Where a workspace has servers of its own. All others are the person's, or come from an extension that they installed. */
const OF_WORKSPACE: readonly DefinitionSource['scope'][] = ['workspace', 'workspaceFolder'];
export const isOfWorkspace = ({ source }: Pick<ServerDefinition, 'source'>) => OF_WORKSPACE.includes(source.scope);

/** A test file that would use a server of the person, or tell one of folders that it was not allowed. */
export interface TestUse {
  /** URI of the file. */
  readonly file: string;
  /** SHA-256 of its text. */
  readonly content: string;
  readonly definition: Pick<ServerDefinition, 'id' | 'launch'>;
}

/** The files that were allowed first are asked about again. */
const MAX_FILES = 1_000;

/** What a test file may use. */
interface AllowedUse {
  readonly server: ServerDefinition['id'];
  readonly content: string;
}

/** Which test files of a workspace may use servers of the person: each as it was read, and as the server is launched. */
export class TestConsents {
  /** @param store never settings: a repository must not allow itself. */
  constructor(private readonly store: ProgramStore) {}

  has(use: TestUse): boolean {
    const allowed = this.#allowed(use).get('workspace', use.file)?.for(use.definition);
    return allowed?.server === use.definition.id && allowed.content === use.content;
  }

  allow(use: TestUse): Promise<void> {
    return this.#allowed(use).set('workspace', use.file, allowanceFor(use));
  }

  /** What was allowed, by the URI of the file. An earlier version kept a hash of all of it, which tells only whether it is this. */
  #allowed(use: TestUse): KeptRecords<KeptFor<AllowedUse>> {
    const parse = (stored: unknown) =>
      stored === hashOf(use) ? allowanceFor(use) : KeptFor.parse(stored, parseAllowed);
    return new KeptRecords(this.store, parse, MAX_FILES);
  }
}

const allowanceFor = ({ content, definition }: TestUse) => new KeptFor(definition, { server: definition.id, content });

const hashOf = ({ content, definition: { id, launch } }: TestUse) => fingerprint({ content, id, launch });

function parseAllowed(value: unknown): AllowedUse | undefined {
  const { server, content } = Object(value) as Partial<AllowedUse>;
  return typeof server === 'string' && typeof content === 'string' ? { server, content } : undefined;
}
