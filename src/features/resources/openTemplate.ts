import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/client';
import { rowText, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { learnOffers, usableServers } from '../../editor/usable';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import type { ResourceContent } from './core/resourceContent';
import type { ResourceReader } from './core/resourceReader';
import { templateValues, UriTemplate } from './core/uriTemplate';
import type { RecentResource, TemplateMemory } from './templateMemory';

import vscode = require('vscode');

/** A template of a server, as commands take it. */
interface TemplateTarget {
  readonly server: ServerConnection;
  readonly template: ResourceTemplateType;
}

/** "Open from Template…": opens the page of a template, on which its variables are filled in. */
export async function openTemplateCommand(servers: ServerSet, argument?: unknown): Promise<void> {
  const target = targetOfRow(argument) ?? (await pickTemplate(servers));
  if (!target) return;
  const row = { server: target.server, kind: 'resourceTemplates', item: target.template };
  await vscode.commands.executeCommand('mcpHost.openPage', row);
}

/** The template actions of pages. */
export function templatesFor(memory: TemplateMemory, reader: Pick<ResourceReader, 'read'>) {
  return {
    /** @throws an `Error` that names server, template and remedy. */
    parse(target: TemplateTarget) {
      const template = parsed(target);
      const { variables } = template;
      const values = (typed: Readonly<Record<string, string>>) => templateValues(variables, typed);
      return {
        variables,
        uri: (typed: Readonly<Record<string, string>>) => template.expand(values(typed)),
        preview: (typed: Readonly<Record<string, string>>) => template.preview(values(typed)),
      };
    },
    lastValues: ({ server, template }: TemplateTarget) => ({ ...memory.values(server.id, template.uriTemplate) }),
    remember: ({ server, template }: TemplateTarget, typed: Record<string, string>, uri: string) =>
      memory.remember(server.id, template.uriTemplate, typed, resourceOf(template, uri)),
    async read(server: ServerConnection, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
      const content = await reader.read({ serverId: server.id, uri }, signal);
      return { contents: (content.parts ?? [{ ...content, uri }]).map(sentAs) };
    },
    open: async ({ server, template }: TemplateTarget, uri: string) =>
      (await vscode.commands.executeCommand('mcpHost.openResource', {
        server,
        resource: resourceOf(template, uri),
      })) === true,
  };
}

export type PageTemplates = ReturnType<typeof templatesFor>;

/** The content as the protocol has it. */
function sentAs({ uri, mimeType, kind, bytes }: ResourceContent & { readonly uri: string }) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = kind === 'text' ? { text: buffer.toString('utf8') } : { blob: buffer.toString('base64') };
  return { uri, ...(mimeType !== undefined && { mimeType }), ...body };
}

/** Named after the last part of its URI; otherwise every resource would be called after the template. */
function resourceOf({ mimeType }: ResourceTemplateType, uri: string): RecentResource {
  return { uri, name: resourceFileName({ uri, mimeType }), ...(mimeType && { mimeType }) };
}

/** @throws an `Error` that names server, template and remedy. */
function parsed({ server, template }: TemplateTarget): UriTemplate {
  const name = visible(template.title || template.name, 80);
  try {
    return new UriTemplate(template.uriTemplate);
  } catch (error) {
    throw new Error(
      t(
        'Could not fill in {1} of "{0}": its template {2} is invalid: {3}. This is a bug in the server. Report it to its developers.',
        server.name,
        name,
        visible(template.uriTemplate),
        visible(errorText(error)),
      ),
    );
  }
}

async function pickTemplate(servers: ServerSet): Promise<TemplateTarget | undefined> {
  await learnOffers(servers);
  const items = usableServers(servers).flatMap(server =>
    server.offers('resourceTemplates').map(template => ({
      label: rowText(template.title || template.name),
      description: rowText(server.id),
      detail: rowText(template.uriTemplate, 300),
      iconPath: new vscode.ThemeIcon('symbol-snippet'),
      target: { server, template },
    })),
  );
  if (items.length === 0) {
    void window.showInformationMessage(t('No ready MCP server offers resource templates.'));
    return undefined;
  }
  const options = { placeHolder: t('Select a resource template'), matchOnDescription: true, matchOnDetail: true };
  return (await window.showQuickPick(items, options))?.target;
}

/** Rows of the Resources view have a `template`, those of the Servers view an `item`. */
function targetOfRow(argument: unknown): TemplateTarget | undefined {
  const { server, template, item } = (argument ?? {}) as Partial<TemplateTarget> & { item?: ResourceTemplateType };
  const chosen = template ?? item;
  return server && chosen && { server, template: chosen };
}
