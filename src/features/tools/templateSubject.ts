import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/client';
import { attempt } from '../../base/errors';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { PageTemplates } from '../resources';
import type { PageAction, PageButton, PageField } from './core/itemPageMessages';
import type { ItemRun, RunResult } from './core/itemRuns';
import { resourceBlocks } from './core/resultBlocks';
import type { JsonSchema } from './core/schemaFields';
import {
  type Arguments,
  type PageServices,
  PageSubject,
  type PreparedRun,
  schemaOfTexts,
  textsOf,
} from './pageSubject';

import vscode = require('vscode');

export interface TemplateSubjectServices extends PageServices {
  readonly templates: PageTemplates;
}

/** A resource template on its page: what is run is reading the resource. */
export class TemplateSubject extends PageSubject<ResourceTemplateType, TemplateSubjectServices> {
  override readonly beside = 'uri';

  get words() {
    return {
      texts: {
        arguments: t('Variables'),
        run: t('Read'),
        runKey: t('Read (Ctrl+Enter)'),
        result: t('Contents'),
        noResult: t('Not read yet.'),
        runs: t('Earlier reads'),
        again: t('Read Again'),
        use: t('Use These Values'),
        openDocument: t('Open as File'),
      },
      buttons: [
        { action: 'openFile', label: t('Open as File') },
        { action: 'copy', label: t('Copy URI') },
      ] satisfies PageButton[],
      noArguments: t('This template has no variables.'),
      gone: (server: string) =>
        verbatim('MCP server "{0}" no longer offers the resource template {1}.', server, visible(this.place.name, 120)),
    };
  }

  schema(): JsonSchema {
    const { variables = [] } = this.#template ?? {};
    return schemaOfTexts(
      variables.map(({ name, required, several }) => ({
        name,
        required,
        description: several ? t('One or more values separated by commas, or name=value') : undefined,
      })),
    );
  }

  lastArguments(server: ServerConnection, template: ResourceTemplateType): Arguments | undefined {
    return this.services.templates.lastValues({ server, template });
  }

  override field(field: PageField): PageField {
    return { ...super.field(field), kind: 'line' };
  }

  override uri(args: Arguments): string {
    return this.#template?.preview(textsOf(args)) ?? '';
  }

  async prepare(server: ServerConnection, template: ResourceTemplateType, args: Arguments): Promise<PreparedRun> {
    const { templates } = this.services;
    const typed = textsOf(args);
    const uri = templates.parse({ server, template }).uri(typed);
    const run = async ({ signal }: { signal: AbortSignal }) => {
      const result = await templates.read(server, uri, signal);
      await templates.remember({ server, template }, typed, uri);
      return { result };
    };
    return { args, run };
  }

  blocks(result: RunResult) {
    return resourceBlocks(result as ReadResourceResult, localized);
  }

  content(result: RunResult) {
    return (result as ReadResourceResult).contents.map(resource => ({ type: 'resource', resource }) as const);
  }

  async open({ args }: ItemRun): Promise<void> {
    await this.#openFile({ ...args });
  }

  async act(action: PageAction, args: Arguments): Promise<void> {
    if (action === 'openFile') await this.#openFile(args);
    const uri = this.#template?.uri(textsOf(args));
    if (action === 'copy' && uri !== undefined) await vscode.env.clipboard.writeText(uri);
  }

  protected override facts(template: ResourceTemplateType | undefined): string[] {
    return template?.mimeType ? [visible(template.mimeType, 80)] : [];
  }

  protected override async refused() {
    const { server, item: template } = this;
    try {
      if (server && template) this.services.templates.parse({ server, template });
      return undefined;
    } catch (error) {
      return { text: errorText(error, 1_000), buttons: [] };
    }
  }

  async #openFile(args: Arguments): Promise<void> {
    const { server, offered: template } = this;
    if (!server || !template) return;
    const { templates } = this.services;
    const typed = textsOf(args);
    const uri = templates.parse({ server, template }).uri(typed);
    if (await templates.open({ server, template }, uri)) await templates.remember({ server, template }, typed, uri);
  }

  get #template(): ReturnType<PageTemplates['parse']> | undefined {
    const { server, item: template } = this;
    if (!server || !template) return undefined;
    return attempt(() => this.services.templates.parse({ server, template }));
  }
}
