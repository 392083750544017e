import { isObject } from '../../../base/json';
import { KeptRecords, keptScope, type ScopedStore, type ServerDefinition } from '../../../host/definition';

/** The handling of a server's sampling requests: each is shown to the person, all pass within the limits, or none does. */
export type SamplingPolicy = 'ask' | 'allow' | 'deny';

export interface SamplingChoice {
  readonly policy?: SamplingPolicy;
  /** The program or address that `allow` was said of: `ServerDefinition.launch`. */
  readonly launch?: string;
  /** Id of the model that answers this server, whatever it would prefer. */
  readonly model?: string;
}

export type SamplingServer = Pick<ServerDefinition, 'id' | 'launch' | 'source'>;

/**
 * The person's decision for a server. A workspace server has choices of that workspace only: another repository with a server
 * of that name has none.
 */
export const samplingChoice = (store: ScopedStore, { id, source }: SamplingServer): SamplingChoice =>
  samplingChoices(store).get(keptScope(source), id) ?? {};

/** By the ids of servers. */
export const samplingChoices = (store: ScopedStore): KeptRecords<SamplingChoice> =>
  new KeptRecords(store, stored => (isObject(stored) ? stored : undefined));

/** The policy for a server's requests. Permission given to another program of its name does not count; a denial does. */
export function policyOf(store: ScopedStore, server: SamplingServer, byDefault: unknown): SamplingPolicy {
  const { policy, launch } = samplingChoice(store, server);
  return asPolicy((policy === 'allow' && launch !== server.launch ? undefined : policy) ?? byDefault);
}

/** A policy in settings or storage; `ask` for other values. */
export function asPolicy(value: unknown): SamplingPolicy {
  return value === 'allow' || value === 'deny' ? value : 'ask';
}
