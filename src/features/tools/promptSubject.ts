import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { PromptCommands } from '../prompts';
import type { PageAction, PageButton } from './core/itemPageMessages';
import type { ItemRun, RunResult } from './core/itemRuns';
import { promptBlocks } from './core/resultBlocks';
import type { JsonSchema } from './core/schemaFields';
import {
  type Arguments,
  type PageServices,
  PageSubject,
  type PreparedRun,
  schemaOfTexts,
  textsOf,
} from './pageSubject';

export interface PromptSubjectServices extends PageServices {
  readonly prompts: Pick<PromptCommands, 'get' | 'isBlocked' | 'lastArguments' | 'open' | 'copy' | 'send'>;
}

export class PromptSubject extends PageSubject<Prompt, PromptSubjectServices> {
  get words() {
    return {
      texts: { result: t('Messages') },
      buttons: [{ action: 'useInChat', label: t('Run in Chat') } satisfies PageButton],
      noArguments: t('This prompt takes no arguments.'),
      gone: (server: string) =>
        verbatim('MCP server "{0}" no longer offers a prompt called {1}.', server, visible(this.place.name, 120)),
    };
  }

  schema(prompt: Prompt): JsonSchema {
    return schemaOfTexts(
      (prompt.arguments ?? []).map(argument => ({ ...argument, required: argument.required === true })),
    );
  }

  lastArguments(server: ServerConnection, prompt: Prompt): Arguments | undefined {
    return this.services.prompts.lastArguments({ server, prompt });
  }

  async prepare(server: ServerConnection, prompt: Prompt, args: Arguments): Promise<PreparedRun> {
    const run = async ({ signal }: { signal: AbortSignal }) => ({
      result: await this.services.prompts.get({ server, prompt }, textsOf(args), signal),
    });
    return { args, run };
  }

  blocks(result: RunResult) {
    return promptBlocks(result as GetPromptResult, localized);
  }

  content(result: RunResult) {
    return (result as GetPromptResult).messages.map(({ content }) => content);
  }

  async open({ args, end }: ItemRun): Promise<void> {
    const { server, item: prompt } = this;
    if (!server || !prompt || end?.kind !== 'result') return;
    await this.services.prompts.open({ server, prompt }, textsOf({ ...args }), end.result as GetPromptResult);
  }

  async act(action: PageAction, args: Arguments, run: ItemRun | undefined): Promise<void> {
    const { server, offered: prompt } = this;
    if (action === 'useInChat' && server && prompt) await this.services.prompts.send({ server, prompt }, textsOf(args));
    if (action === 'copyResult' && run?.end?.kind === 'result')
      await this.services.prompts.copy(run.end.result as GetPromptResult);
  }

  override resultButtons(): readonly PageButton[] {
    return [{ action: 'copyResult', label: t('Copy') }];
  }

  protected override async refused() {
    const { server, offered: prompt } = this;
    if (!server || !prompt || !(await this.services.prompts.isBlocked({ server, prompt }))) return undefined;
    const text = t('This prompt has changed since it was accepted, and is blocked until you accept the change.');
    return { text, buttons: [{ action: 'reviewChanges', label: t('Review Changes…') } satisfies PageButton] };
  }
}
