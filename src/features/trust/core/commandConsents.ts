import { canonicalJson, fingerprint } from '../../../base/fingerprint';
import { exact } from '../../../base/text';
import {
  type DefinitionSource,
  KEPT_SCOPES,
  type KeptScope,
  keptScope,
  type ScopedStore,
} from '../../../host/definition';
import type { InputDefinition } from '../../../host/settings';

export type CommandInput = Extract<InputDefinition, { type: 'command' }>;

/** An editor command that may run for an input without a question. */
export interface AllowedCommand {
  /** Of the input, in its settings file. */
  key: string;
  id: string;
  /** The settings file, for a person. */
  where: string;
  /** SHA-256 of the command and its arguments. */
  fingerprint: string;
  /** The beginning of both, for a person. */
  text: string;
  /** When it was allowed, in milliseconds since 1970. */
  at: number;
}

/** Enough to know a command by. */
const MAX_KEPT = 300;

/** The exact command and arguments that would run. */
export const commandText = ({ command, args }: CommandInput): string =>
  exact(`${command}${args === undefined ? '' : ` ${canonicalJson(args)}`}`);

/** The commands that a person lets always run: each for one input of one settings file, with these arguments. */
export class CommandConsents {
  constructor(
    private readonly store: ScopedStore,
    private readonly keyOf: (source: DefinitionSource, id: string) => string,
    private readonly whereOf: (source: DefinitionSource) => string,
  ) {}

  has(source: DefinitionSource, input: CommandInput): boolean {
    const [key, wanted] = [this.keyOf(source, input.id), fingerprintOf(input)];
    return this.#stored(keptScope(source)).some(allowed => allowed.key === key && allowed.fingerprint === wanted);
  }

  async allow(source: DefinitionSource, input: CommandInput): Promise<void> {
    const key = this.keyOf(source, input.id);
    const text = commandText(input).slice(0, MAX_KEPT);
    const allowed = { key, id: input.id, where: this.whereOf(source), fingerprint: fingerprintOf(input), text };
    const scope = keptScope(source);
    await this.store.set(scope, [...this.#others(scope, key), { ...allowed, at: Date.now() }]);
  }

  /** Forgets a permission: the command is asked about again. */
  async revoke({ key }: Pick<AllowedCommand, 'key'>): Promise<void> {
    for (const scope of KEPT_SCOPES) await this.store.set(scope, this.#others(scope, key));
  }

  /** Every permission that is remembered. */
  get all(): AllowedCommand[] {
    return KEPT_SCOPES.flatMap(scope => this.#stored(scope));
  }

  #stored(scope: KeptScope): AllowedCommand[] {
    const stored = this.store.get(scope);
    return Array.isArray(stored) ? stored.filter(isAllowedCommand) : [];
  }

  #others(scope: KeptScope, key: string): AllowedCommand[] {
    return this.#stored(scope).filter(allowed => allowed.key !== key);
  }
}

function isAllowedCommand(value: unknown): value is AllowedCommand {
  const { key, id, where, fingerprint, text, at } = (value ?? {}) as Partial<AllowedCommand>;
  return [key, id, where, fingerprint, text].every(part => typeof part === 'string') && typeof at === 'number';
}

const fingerprintOf = ({ command, args }: CommandInput) => fingerprint({ command, args });
