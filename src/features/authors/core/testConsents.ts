import { fingerprint } from '../../../base/fingerprint';
import type { DefinitionSource, ServerDefinition } from '../../../host/definition';

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

/** Fingerprints of what was allowed, by the URI of the file. The one that was allowed last is the last. */
export type StoredTestConsents = Readonly<Record<string, string>>;

/** Where they are kept: with the workspace, in extension storage. Never settings: a repository must not allow itself. */
export interface TestConsentStore {
  get(): StoredTestConsents;
  set(consents: StoredTestConsents): Promise<void>;
}

/** The files that were allowed first are asked about again. */
const MAX_FILES = 1_000;

/** Which test files of a workspace may use servers of the person: each as it was read, and as the server is launched. */
export class TestConsents {
  constructor(private readonly store: TestConsentStore) {}

  has(use: TestUse): boolean {
    const stored = this.store.get();
    return Object.hasOwn(stored, use.file) && stored[use.file] === fingerprintOf(use);
  }

  async allow(use: TestUse): Promise<void> {
    const others = Object.entries(this.store.get()).filter(([file]) => file !== use.file);
    await this.store.set(Object.fromEntries([...others.slice(1 - MAX_FILES), [use.file, fingerprintOf(use)]]));
  }
}

const fingerprintOf = ({ content, definition: { id, launch } }: TestUse) => fingerprint({ content, id, launch });
