import type { Fixed } from './organization';

/** The settings that a managed file can fix, and when it does. What a person says in them has no effect, or not all of it. */
const FIXED = {
  'mcpHost.approvals.skipReadOnly': ({ forbids }) => forbids.includes('alwaysAllow'),
  'mcpHost.chat.codeMode': ({ forbids }) => forbids.includes('codeMode'),
  'mcpHost.openTelemetry': ({ openTelemetry }) => openTelemetry !== undefined,
  'mcpHost.pins': ({ enforcesPins }) => enforcesPins,
  'mcpHost.registry.url': ({ registry }) => registry !== undefined,
  'mcpHost.sampling.policy': ({ forbids }) => forbids.includes('sampling'),
  'mcpHost.sandbox': ({ sandbox }) => sandbox !== 'off',
  'mcpHost.shareWithAgents': ({ forbids }) => forbids.includes('shareWithAgents'),
} as const satisfies Readonly<Record<string, (fixed: Fixed) => boolean>>;

type FixedSetting = keyof typeof FIXED;

/** Those that are fixed now. */
export const fixedSettings = (fixed: Fixed): readonly FixedSetting[] =>
  (Object.keys(FIXED) as FixedSetting[]).filter(name => FIXED[name](fixed));
