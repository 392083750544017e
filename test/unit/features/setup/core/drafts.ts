import type { ServerDraft } from '../../../../../src/features/setup/core/serverDraft';

export const draft = (name: string, entry: object, inputs: ServerDraft['inputs'] = []): ServerDraft => ({
  name,
  entry: entry as ServerDraft['entry'],
  inputs,
  values: new Map(),
  notes: [],
});
