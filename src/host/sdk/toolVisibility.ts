import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';

/** The extension for user interfaces of servers: MCP Apps. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** The one kind of page that there is (spec: ext-apps 2026-01-26, "UI Resource Format"). */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * Whether a tool is for models, or for the server's own apps; both, unless the server says otherwise (spec: ext-apps
 * 2026-01-26, "Visibility"). A tool that is not for models must not reach one.
 */
export function isFor(who: 'model' | 'app', tool: Pick<Tool, '_meta'>): boolean {
  const { visibility } = uiOf(tool);
  if (typeof visibility === 'string') return visibility === who;
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** The address of the app that shows a tool's results, if it has one. */
export function appOf(tool: Pick<Tool, '_meta'>): string | undefined {
  const uri = uiOf(tool).resourceUri ?? tool._meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}

function uiOf({ _meta }: Pick<Tool, '_meta'>): Record<string, unknown> {
  return isObject(_meta?.ui) ? _meta.ui : {};
}
