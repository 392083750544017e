import vscode = require('vscode');

import { fingerprint } from '../../base/fingerprint';
import { phrase } from '../../base/phrase';
import { ScopedMemory } from '../../editor/storage';
import { t } from '../../editor/window';
import type { Admission, DefinitionSource, LaunchCheck, ServerDefinition } from '../../host/definition';
import { fillInputs, type InputDefinition, type ServerEntry } from '../../host/settings';
import type { PinStore } from './core/pins';

/** Larger than what any server may list. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Where pins, or agreements to apps, are kept. */
export const pinStorage = (
  context: ConstructorParameters<typeof ScopedMemory>[0],
  folder: 'pins' | 'apps' = 'pins',
): PinStore => new ScopedMemory(context, folder, { keptMs: Number.POSITIVE_INFINITY, maxBytes: MAX_BYTES });

/**
 * The key in `globalState` that lists which inputs have a value in the secret storage, which can't be listed itself. Never
 * the values.
 */
const INDEX = 'mcpHost.inputs';

interface SavedInput {
  key: string;
  id: string;
  /** Its settings file, in words. */
  where: string;
}

/**
 * The values of `mcpHost.inputs`. They are kept in the secret storage, separately for each settings file, and filled in at
 * launch. A value that was entered for a different definition of the input does not count.
 */
export class InputValues implements LaunchCheck {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly memento: vscode.Memento,
  ) {}

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

  /** The inputs of a server that have no value yet. */
  async missing(definition: ServerDefinition): Promise<InputDefinition[]> {
    const values = await this.valuesOf(definition);
    return definition.inputs?.definitions.filter(({ id }) => !values.has(id)) ?? [];
  }

  async store(source: DefinitionSource, input: InputDefinition, value: string): Promise<void> {
    const key = inputKey(source, input.id);
    await this.secrets.store(key, JSON.stringify({ definition: fingerprint(input), value }));
    await this.#setIndex([
      ...this.saved.filter(other => other.key !== key),
      { key, id: input.id, where: whereOf(source) },
    ]);
  }

  get saved(): readonly SavedInput[] {
    const stored = this.memento.get<unknown>(INDEX);
    return Array.isArray(stored) ? (stored as SavedInput[]) : [];
  }

  async forget(keys: ReadonlySet<string>): Promise<void> {
    for (const key of keys) await this.secrets.delete(key);
    await this.#setIndex(this.saved.filter(({ key }) => !keys.has(key)));
  }

  async valuesOf({ source, inputs }: ServerDefinition): Promise<Map<string, string>> {
    const values = new Map<string, string>();
    for (const input of inputs?.definitions ?? []) {
      const stored = parse(await this.secrets.get(inputKey(source, input.id)));
      if (stored?.definition === fingerprint(input)) values.set(input.id, stored.value);
    }
    return values;
  }

  async #setIndex(saved: readonly SavedInput[]): Promise<void> {
    await this.memento.update(INDEX, saved.length > 0 ? saved : undefined);
  }
}

export function inputKey(source: DefinitionSource, id: string): string {
  return `mcpHost.input ${source.scope} ${source.scope === 'user' ? '' : whereOf(source)} ${id}`;
}

/** Whether values are secret: passwords, and the results of commands, which are usually tokens. */
const isSecret = (input: InputDefinition): boolean =>
  input.type === 'command' || (input.type === 'promptString' && input.password);

/** The settings file of an input, in words. */
export function whereOf({ scope, folder }: DefinitionSource): string {
  if (scope === 'user') return t('user settings');
  if (folder) return folder.path;
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri?.scheme === 'file' ? uri.fsPath : String(uri);
}

function parse(text: string | undefined): { definition: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const { definition, value } = JSON.parse(text) as Record<string, unknown>;
  return typeof definition === 'string' && typeof value === 'string' ? { definition, value } : undefined;
}
