import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { rowText, visible } from '../../../base/text';
import { errorText } from '../../../editor/errorText';
import { learnOffers, usableServers } from '../../../editor/usable';
import { t, window } from '../../../editor/window';
import type { RequestsOf, ServerConnection, ServerSet } from '../../../host';
import { askArguments, completionSource } from '../../completion';
import { resourceFileName } from '../core/fileName';
import type { ResourceContent } from '../core/resourceContent';
import type { ResourceReader } from '../core/resourceReader';
import { templateValues, UriTemplate } from '../core/templates/uriTemplate';
import type { RecentResource, TemplateMemory } from './templateMemory';

/** The most questions that anyone would answer one by one. */
const MAX_VARIABLES = 20;

/** A template of a server, as commands take it. */
export interface TemplateTarget {
  readonly server: ServerConnection;
  readonly template: ResourceTemplateType;
}

/** "Open from Template…": asks for the variables of a template, opens the resulting resource, and remembers both. */
export async function openTemplateCommand(
  servers: ServerSet,
  memory: TemplateMemory,
  argument?: unknown,
): Promise<void> {
  const target = targetOfRow(argument) ?? (await pickTemplate(servers));
  if (!target) return;
  const { server, template } = target;
  const uriTemplate = askable(target);
  let last = memory.values(server.id, template.uriTemplate);
  for (;;) {
    const typed = await askVariables(target, servers.byHand, uriTemplate, last);
    if (!typed) return;
    const uri = uriTemplate.expand(templateValues(uriTemplate.variables, typed));
    const resource = resourceOf(template, uri);
    const opened = await vscode.commands.executeCommand<boolean | undefined>('mcpHost.openResource', {
      server,
      resource,
    });
    if (opened) return memory.remember(server.id, template.uriTemplate, typed, resource);
    // `false`: the person gave up. Otherwise the command has said what failed, and the values can be corrected.
    if (opened === false || uriTemplate.variables.length === 0) return;
    last = typed;
  }
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
  const name = nameOf(template);
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

/** @throws an `Error`, as `parsed`, for a template with more questions than anyone would answer. */
function askable(target: TemplateTarget): UriTemplate {
  const uriTemplate = parsed(target);
  const count = uriTemplate.variables.length;
  if (count <= MAX_VARIABLES) return uriTemplate;
  throw new Error(
    t(
      'Could not fill in {1} of "{0}": its template has {2} variables, and at most {3} can be asked for one by one. Enter the URI with "Read Resource…" instead.',
      target.server.name,
      nameOf(target.template),
      count,
      MAX_VARIABLES,
    ),
  );
}

/** Asks for the value of each variable. Undefined when the person gave up. */
function askVariables(
  { server, template }: TemplateTarget,
  requests: RequestsOf,
  uriTemplate: UriTemplate,
  last: Readonly<Record<string, string>>,
): Promise<Record<string, string> | undefined> {
  const { variables } = uriTemplate;
  const questions = variables.map(({ name, required, several }) => ({
    name,
    required,
    initial: Object.hasOwn(last, name) ? last[name] : undefined,
    ...(several && { description: t('{0}: one or more values separated by commas, or name=value', visible(name, 60)) }),
  }));
  return askArguments({
    title: `${nameOf(template)} (${server.name})`,
    questions,
    suggest: completionSource(server, requests, { type: 'ref/resource', uri: template.uriTemplate }),
    preview: typed => uriTemplate.preview(templateValues(variables, typed)),
  });
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

const nameOf = ({ title, name }: ResourceTemplateType): string => visible(title || name, 80);
