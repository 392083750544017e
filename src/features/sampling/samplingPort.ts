import vscode = require('vscode');

import type { SamplingPort } from '../../host/definition';
import type { Trust } from '../trust';
import { policyOf } from './core/samplingPolicy';
import type { KnownModels } from './knownModels';
import type { Sampling } from './sampling';
import { SamplingStorage } from './samplingStore';

/**
 * Declares sampling as far as the person allows it, and loads the code that answers with the first request (spec:
 * client/sampling).
 */
export function samplingPort(
  context: Pick<vscode.ExtensionContext, 'globalState' | 'workspaceState'>,
  models: KnownModels,
  trust: Pick<Trust, 'forbids'>,
  load: () => Sampling,
): SamplingPort {
  const store = new SamplingStorage(context);
  return {
    capability: server => {
      if (trust.forbids('sampling')) return undefined;
      const byDefault = vscode.workspace.getConfiguration('mcpHost.sampling').get('policy');
      // Without `context`: we add nothing from this server or another to its requests.
      return policyOf(store, server, byDefault) !== 'deny' && models.any ? { tools: {} } : undefined;
    },
    createMessage: (...request) => load().createMessage(...request),
  };
}
