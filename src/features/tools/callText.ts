import type { Progress } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { FinishedCall } from './core/resultText';

/** Copies a `tools/call` request (spec: server/tools#calling-tools). */
export async function copyRequest(name: string, args: Record<string, unknown>): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  await vscode.env.clipboard.writeText(JSON.stringify(request, null, 2));
  window.setStatusBarMessage(t('Copied the call to {0}', visible(name)), 2_000);
}

/** A call as the request that it was, for tests made of it. */
export const requestOfCall = (call: FinishedCall | undefined): object | undefined =>
  call && {
    server: call.server.id,
    method: 'tools/call',
    params: { name: call.tool.name, arguments: call.args },
    outcome: { result: call.result },
  };

/** How far a call is, in the words of its server or in numbers. */
export function messageOfStep({ message, progress, total }: Progress): string {
  if (message) return visible(message, 120);
  return total ? t('{0} of {1}', progress, total) : numberText(progress);
}
