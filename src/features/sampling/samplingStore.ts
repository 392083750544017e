import { ScopedStorage } from '../../editor/storage';
import type { SamplingChoice, SamplingScope, SamplingStore } from './core/samplingPolicy';

/** Keeps policies in the extension's own storage, out of reach of settings and workspaces. */
export class SamplingStorage extends ScopedStorage implements SamplingStore {
  constructor(context: ConstructorParameters<typeof ScopedStorage>[0]) {
    super(context, 'mcpHost.sampling');
  }

  get(scope: SamplingScope): unknown {
    return this.stored(scope);
  }

  set(scope: SamplingScope, choices: Record<string, SamplingChoice>): Promise<void> {
    return this.keep(scope, choices);
  }
}
