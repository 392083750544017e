import {
  policyOf,
  type SamplingChoice,
  type SamplingPolicy,
  type SamplingServer,
  type SamplingStore,
  samplingChoice,
} from './samplingPolicy';

/** Policies and models by server: the person's choice for it, else the setting. */
export class SamplingChoices {
  constructor(
    private readonly store: SamplingStore,
    private readonly defaultPolicy: () => unknown,
    /** Whether the organization forbids sampling, whatever anybody chooses. */
    private readonly isForbidden = () => false,
  ) {}

  policy(server: SamplingServer): SamplingPolicy {
    return this.isForbidden() ? 'deny' : policyOf(this.store, server, this.defaultPolicy());
  }

  /** Id of the model that the person chose for all requests of a server. */
  model(server: SamplingServer): string | undefined {
    const { model } = samplingChoice(this.store, server);
    return typeof model === 'string' ? model : undefined;
  }

  /** The person gave a server another name. */
  async copy(from: SamplingServer, to: SamplingServer): Promise<void> {
    const { policy, model, launch } = samplingChoice(this.store, from);
    await this.set(to, { policy: policy === 'allow' && launch !== from.launch ? undefined : policy, model });
  }

  /** Keeps part of a choice; `undefined` takes it back. */
  async set(server: SamplingServer, change: { [K in 'policy' | 'model']?: SamplingChoice[K] | undefined }) {
    const scope = server.source.scope === 'user' ? 'user' : 'workspace';
    const stored = (this.store.get(scope) ?? {}) as Record<string, SamplingChoice>;
    const launch = 'policy' in change && { launch: change.policy === 'allow' ? server.launch : undefined };
    const entries = Object.entries({ ...samplingChoice(this.store, server), ...change, ...launch });
    const choice = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const { [server.id]: _, ...others } = stored;
    await this.store.set(scope, Object.keys(choice).length > 0 ? { ...others, [server.id]: choice } : others);
  }
}
