import { isObject } from '../../../base/json';
import { KeptFor, KeptRecords, keptScope, type ProgramStore, type ServerDefinition } from '../../../host/definition';

/** The handling of a server's sampling requests: each is shown to the person, all pass within the limits, or none does. */
export type SamplingPolicy = 'ask' | 'allow' | 'deny';

export interface SamplingChoice {
  /** `allow` holds for the program or address that it was said of. */
  readonly policy?: SamplingPolicy;
  /** Id of the model that answers this server, whatever it would prefer. */
  readonly model?: string;
}

export type SamplingServer = Pick<ServerDefinition, 'id' | 'launch' | 'source'>;

/**
 * The person's decision for a server; what they allowed another program of its name is left out. A workspace server has choices of
 * that workspace only: another repository with a server of that name has none.
 */
export function samplingChoice(store: ProgramStore, server: SamplingServer): SamplingChoice {
  const kept = samplingChoices(store).get(keptScope(server.source), server.id);
  const { policy, model } = kept?.for(server) ?? kept?.stored ?? {};
  const holds = policy !== undefined && (policy !== 'allow' || kept?.for(server) !== undefined);
  return { ...(holds && { policy }), ...(model !== undefined && { model }) };
}

/** By the ids of servers. What an earlier version kept may be of no program. */
export const samplingChoices = (store: ProgramStore): KeptRecords<KeptFor<SamplingChoice>> =>
  new KeptRecords(store, stored => KeptFor.parse(isObject(stored) ? { launch: '', ...stored } : stored, parseChoice));

function parseChoice(stored: unknown): SamplingChoice {
  const { policy, model } = Object(stored) as Partial<Record<keyof SamplingChoice, unknown>>;
  return { ...(policy !== undefined && { policy: asPolicy(policy) }), ...(typeof model === 'string' && { model }) };
}

export function policyOf(store: ProgramStore, server: SamplingServer, byDefault: unknown): SamplingPolicy {
  return asPolicy(samplingChoice(store, server).policy ?? byDefault);
}

/** A policy in settings or storage; `ask` for other values. */
export const asPolicy = (value: unknown): SamplingPolicy => (value === 'allow' || value === 'deny' ? value : 'ask');
