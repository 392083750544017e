import vscode = require('vscode');

import type { SamplingLimitValues } from './core/samplingLimits';
import { asPolicy, type SamplingPolicy } from './core/samplingPolicy';

interface SamplingSettings extends SamplingLimitValues {
  readonly policy: SamplingPolicy;
  readonly reviewAnswers: boolean;
}

/** Only the person's own settings: these have the scope `application`, which a workspace cannot set. */
export function samplingSettings(): SamplingSettings {
  const settings = vscode.workspace.getConfiguration('mcpHost.sampling');
  const number = (key: string, byDefault: number) => {
    const value = settings.get(key);
    return typeof value === 'number' && value >= 0 ? value : byDefault;
  };
  return {
    policy: asPolicy(settings.get('policy')),
    reviewAnswers: settings.get('reviewAnswers') !== false,
    requestsPerMinute: number('requestsPerMinute', 10),
    tokensPerHour: number('tokensPerHour', 100_000),
    tokensPerDay: number('tokensPerDay', 500_000),
  };
}
