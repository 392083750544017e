import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t } from '../../editor/window';
import type { ServerConnection } from '../../host';
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
