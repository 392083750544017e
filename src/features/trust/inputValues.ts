import { fingerprint } from '../../base/fingerprint';
import { phrase } from '../../base/phrase';
import { type SecretVault, type StorageKey, storageKey } from '../../base/secretVault';
import type { PlainState } from '../../editor/storage';
import type { Admission, DefinitionSource, LaunchCheck, ServerDefinition } from '../../host/definition';
import { fillInputs, type InputDefinition, type ServerEntry } from '../../host/settings';
import { type SecretOwners, whereOf } from './secretOwners';

/** The key in `globalState` with the names of inputs in the secret storage, which can't be listed itself. */
const INDEX = 'mcpHost.inputs';

interface SavedInput {
  key: StorageKey;
  id: string;
  /** Its settings file, in words. */
  where: string;
}

/**
 * The values of `mcpHost.inputs`. They are kept in the secret storage, separately for each settings file, and filled in at
 * launch. A value that was entered for a different definition of the input does not count.
 */
export class InputValues implements LaunchCheck {
  readonly #moved: Promise<void>;

  constructor(
    private readonly vault: SecretVault,
    private readonly memento: PlainState,
    private readonly owners: Pick<SecretOwners, 'of'>,
  ) {
    // What can't be moved is asked for again.
    this.#moved = this.#moveAll().catch(() => {});
  }

  async admit(definition: ServerDefinition, entry: ServerEntry): Promise<Admission> {
    const { inputs } = definition;
    if (!inputs) return { entry };
    const values = await this.valuesOf(definition);
    const missing = inputs.definitions.filter(({ id }) => !values.has(id));
    if (missing.length > 0) {
      const reason = phrase('it needs the input {0}', missing.map(({ id }) => `"${id}"`).join(', '));
      return { needs: 'needsInput', reason, remedy: phrase('Choose "Enter Inputs" on its row.') };
    }
    const filled = fillInputs(entry, inputs, values);
    if ('problem' in filled) {
      const { id, message } = filled.problem;
      const reason = phrase('the value of its input "{0}" cannot be used: {1}', id, message);
      return {
        needs: 'needsInput',
        reason,
        remedy: phrase('Choose "Enter Inputs" on its row and enter a different value.'),
      };
    }
    const secrets = inputs.definitions.filter(isSecret).map(({ id }) => values.get(id)!);
    return { entry: filled.entry, secrets };
  }

  async missing(definition: ServerDefinition): Promise<InputDefinition[]> {
    const values = await this.valuesOf(definition);
    return definition.inputs?.definitions.filter(({ id }) => !values.has(id)) ?? [];
  }

  async store(source: DefinitionSource, input: InputDefinition, value: string): Promise<void> {
    const key = this.keyOf(source, input.id);
    await this.vault.set(key, JSON.stringify({ definition: fingerprint(input), value }));
    await this.#note(source, key, input.id);
  }

  keyOf(source: DefinitionSource, id: string): StorageKey {
    return storageKey('mcpHost.input', ...this.owners.of(source), id);
  }

  get saved(): readonly SavedInput[] {
    const stored = this.memento.get<unknown>(INDEX);
    return Array.isArray(stored) ? (stored as SavedInput[]) : [];
  }

  async forget(keys: ReadonlySet<StorageKey>): Promise<void> {
    for (const key of keys) await this.vault.set(key, undefined);
    await this.#setIndex(this.saved.filter(({ key }) => !keys.has(key)));
  }

  async valuesOf({ source, inputs }: ServerDefinition): Promise<Map<string, string>> {
    await this.#moved;
    const values = new Map<string, string>();
    for (const input of inputs?.definitions ?? []) {
      const key = this.keyOf(source, input.id);
      const stored = parse(await this.vault.get(key));
      if (stored?.definition === fingerprint(input)) values.set(input.id, stored.value);
    }
    return values;
  }

  /** Gives values of earlier versions, whose keys were joined by spaces, keys of their parts: the index has these apart. */
  async #moveAll(): Promise<void> {
    const moved = await Promise.all(
      this.saved.map(async one => {
        const [, scope] = /^mcpHost\.input (\w+) /.exec(one.key) ?? [];
        if (scope === undefined) return one;
        const key = storageKey('mcpHost.input', scope, scope === 'user' ? '' : one.where, one.id);
        await this.vault.move(one.key, key);
        return { ...one, key };
      }),
    );
    if (moved.some(({ key }, index) => key !== this.saved[index]?.key)) await this.#setIndex(moved);
  }

  #note(source: DefinitionSource, key: StorageKey, id: string): Promise<void> {
    return this.#setIndex([...this.saved.filter(other => other.key !== key), { key, id, where: whereOf(source) }]);
  }

  async #setIndex(saved: readonly SavedInput[]): Promise<void> {
    await this.memento.update(INDEX, saved.length > 0 ? saved : undefined);
  }
}

/** Whether values are secret: passwords, and the results of commands, which are usually tokens. */
const isSecret = (input: InputDefinition): boolean =>
  input.type === 'command' || (input.type === 'promptString' && input.password);

function parse(text: string | undefined): { definition: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const { definition, value } = JSON.parse(text) as Record<string, unknown>;
  return typeof definition === 'string' && typeof value === 'string' ? { definition, value } : undefined;
}
