import { randomUUID } from 'node:crypto';
import type { Prompt } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { plainMarkdown, revealed, visible } from '../../base/text';
import { abortOn } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { usableServers } from '../../editor/pickServer';
import { isOwnUri, serversOf, withoutOwn } from '../../editor/virtualFiles';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { eventServerOf } from '../events';
import { acceptsImages, ownWords, planPrompt, text, user } from '../languageModel';
import type { ProfileMenu } from '../profiles';
import {
  askPromptArguments,
  parseInlineArguments,
  promptRefusal,
  RESERVED_NAMES,
  resolvePrompt,
  slashName,
} from '../prompts';
import { parseResourceUri } from '../resources';
import type { Pins } from '../trust';
import { failure, say, sayProgress } from './answerLines';
import type { ChatMetadata } from './core/turnRecord';
import { type SubcommandServices, Subcommands, showContext } from './subcommands';
import type { Turn } from './turn';

import vscode = require('vscode');

const MAX_FOLLOWUPS = 3;
/** How many characters of a prompt's messages the model gets. */
const MAX_PROMPT = 1_000_000;

interface ParticipantServices extends Omit<SubcommandServices, 'slashName'> {
  readonly turn: Turn;
  readonly pins: Pins;
  readonly profiles: Pick<ProfileMenu, 'answer'>;
  /** Told of each question as it comes in. */
  began(): void;
}

/** `@mcp`: a chat participant that brings the servers' prompts and tools to whichever model is chosen. */
export class ChatParticipant {
  readonly #subcommands: Subcommands;
  #running = 0;

  constructor(private readonly services: ParticipantServices) {
    const name = (server: ServerConnection, prompt: Prompt) => slashName(server, prompt, this.#usable);
    this.#subcommands = new Subcommands({ ...services, slashName: name });
  }

  /** How many answers are in progress, in all chats. */
  get running(): number {
    return this.#running;
  }

  async handle(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    this.#running++;
    this.services.began();
    const chat = chatOf(context);
    const answered: vscode.ChatResult = { metadata: { chat, servers: [] } satisfies ChatMetadata };
    try {
      const command = request.command ?? this.#typedSubcommand(request.prompt);
      if (command === 'context') {
        const { model, prompt } = request;
        const question = prompt.replace(/^\/context\b/, '').trim();
        showContext(await this.services.turn.preview({ question, model, history: context.history }), stream);
        return answered;
      }
      if (command === 'profile') {
        await this.services.profiles.answer(request.prompt.replace(/^\/profile\b/, ''), stream);
        return answered;
      }
      if (command !== undefined) {
        this.#subcommands.answer(command, stream, request.prompt.replace(/^\/\w+/, ''));
        return answered;
      }
      if (request.prompt.startsWith('/')) return (await this.#prompt(request, context, stream, token)) ?? answered;
      const attached = attachedServers(request.references);
      const attachments = await referencedText(request.references);
      const question = [request.prompt, attachments].filter(Boolean).join('\n\n');
      if (!question.trim()) {
        this.#subcommands.answer(
          this.#usable.some(server => server.offers('prompts').length > 0) ? 'prompts' : 'help',
          stream,
        );
        return answered;
      }
      const { model } = request;
      return await this.services.turn.run(
        {
          asked: [user(...[ownWords(request.prompt), text(attachments)].filter(part => part.text.trim() !== ''))],
          question,
          model,
          history: context.history,
          chat,
          attached,
        },
        stream,
        token,
      );
    } catch (error) {
      return { ...answered, ...failure(error) };
    } finally {
      this.#running--;
    }
  }

  /** Suggests prompts of the servers that were used as next questions. */
  followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
    const used = (metadata as ChatMetadata | undefined)?.servers ?? [];
    const followups = this.#usable
      .filter(({ id }) => used.includes(id))
      .flatMap(server => server.offers('prompts').map(prompt => ({ server, prompt })))
      .filter(({ prompt }) => !prompt.arguments?.some(({ required }) => required));
    return followups.slice(0, MAX_FOLLOWUPS).map(({ server, prompt }) => ({
      prompt: slashName(server, prompt, this.#usable),
      // The editor renders a label as markdown.
      label: plainMarkdown(visible(prompt.title ?? prompt.name, 80)),
    }));
  }

  get #usable(): readonly ServerConnection[] {
    return usableServers(this.services.servers);
  }

  /** `/tools` or `/profile name` typed as text, unless a prompt has that name. */
  #typedSubcommand(text: string): string | undefined {
    // The editor has no place for prompts in the list that a slash brings up.
    if (text.trim() === '/') return 'prompts';
    const typed = /^\/(\w+)\s*$/.exec(text)?.[1] ?? /^\/(profile)\s/.exec(text)?.[1];
    if (!typed || !RESERVED_NAMES.includes(typed)) return undefined;
    return resolvePrompt(text, this.#usable).kind === 'found' ? undefined : typed;
  }

  async #prompt(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult | undefined> {
    const resolved = resolvePrompt(request.prompt, this.#usable);
    if (resolved.kind !== 'found') {
      this.#offer(
        resolved.kind === 'ambiguous' ? resolved.candidates : resolved.near,
        request.prompt,
        resolved.kind,
        stream,
      );
      return undefined;
    }
    const { server, prompt } = resolved;
    const refused = await promptRefusal(this.services.pins, server, prompt);
    if (refused) {
      say(stream, refused);
      const row = { server, kind: 'prompts', item: prompt };
      stream.button({ command: 'mcpHost.reviewChanges', title: t('Review Changes…'), arguments: [row] });
      return undefined;
    }
    const title = visible(prompt.title ?? prompt.name, 80);
    const args = await this.#arguments(resolved, stream, token);
    if (!args) return undefined;
    sayProgress(stream, verbatim('Getting {0} from {1}…', title, server.id));
    const result = await this.services.servers.byHand(server).getPrompt(prompt.name, args, abortOn(token));
    await this.services.pins.approvePrompt(server, prompt);
    const { model } = request;
    const { messages, notes } = planPrompt(result, {
      images: acceptsImages(model),
      maxChars: MAX_PROMPT,
    });
    for (const note of notes) say(stream, localized(note));
    if (messages.length === 0) {
      say(
        stream,
        verbatim(
          'Prompt {0} from MCP server "{1}" returned no messages, so there is nothing to ask the model.',
          title,
          server.id,
        ),
      );
      return undefined;
    }
    const question = [title, ...Object.values(args)].join(' ');
    return this.services.turn.run(
      { asked: messages, question, model, history: context.history, chat: chatOf(context), promptServer: server },
      stream,
      token,
    );
  }

  /** The arguments given inline, plus required ones that are asked for; undefined when the person gives up. */
  async #arguments(
    { server, prompt, rest }: { server: ServerConnection; prompt: Prompt; rest: string },
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Record<string, string> | undefined> {
    const known = prompt.arguments ?? [];
    const { values, problem } = parseInlineArguments(
      rest,
      known.map(({ name }) => name),
    );
    if (problem) {
      say(stream, visible(localized(problem), 300));
      return undefined;
    }
    const missing = known.filter(({ name, required }) => required && !(name in values));
    if (missing.length === 0) return values;
    const title = visible(prompt.title ?? prompt.name, 80);
    sayProgress(stream, verbatim('Waiting for the arguments of {0}…', title));
    const asked = await askPromptArguments({ server, prompt }, this.services.servers.byHand, { given: values, token });
    if (!asked) say(stream, verbatim('Cancelled: {0} was not run, as its arguments were not all given.', title));
    return asked && { ...values, ...asked };
  }

  /** Rows to choose a prompt from, when the name is not clear. */
  #offer(
    candidates: readonly { server: ServerConnection; prompt: Prompt }[],
    text: string,
    kind: 'ambiguous' | 'unknown',
    stream: vscode.ChatResponseStream,
  ): void {
    const name = visible(text.split(/\s/, 1)[0] ?? text, 80);
    say(
      stream,
      kind === 'ambiguous'
        ? verbatim('Several servers have {0}. Which one?', name)
        : verbatim('No ready server has a prompt {0}.', name),
    );
    if (candidates.length > 0) this.#subcommands.choosePrompt(candidates, stream);
    else stream.button({ command: 'mcpHost.runPrompt', title: t('Run Prompt…') });
  }
}

function chatOf({ history }: vscode.ChatContext): string {
  const metadata = history.map(turn => (turn instanceof vscode.ChatResponseTurn ? turn.result.metadata : undefined));
  const known = (metadata as (ChatMetadata | undefined)[]).find(kept => kept?.chat);
  return known?.chat ?? randomUUID();
}

const MAX_REFERENCE = 40_000;
const MAX_PARTS = 20;

/** The files, selections and texts attached to a question, as text for the model. */
async function referencedText(references: readonly vscode.ChatPromptReference[]): Promise<string> {
  const parts = await Promise.all(references.map(reference => textOf(reference)));
  return parts.filter(Boolean).join('\n\n');
}

/** The servers whose resources, events, results or other documents are attached to a question, by their ids. */
function attachedServers(references: readonly vscode.ChatPromptReference[]): readonly string[] {
  const uris = references.map(({ value }) => (value instanceof vscode.Location ? value.uri : value));
  return uris.flatMap(uri =>
    uri instanceof vscode.Uri
      ? (parseResourceUri(uri)?.serverId ?? eventServerOf(uri) ?? serverOfDocument(uri) ?? [])
      : [],
  );
}

const serverOfDocument = (uri: vscode.Uri) => (isOwnUri(uri) ? serversOf.get(uri.scheme)?.(uri) : undefined);

async function textOf({ value, modelDescription }: vscode.ChatPromptReference): Promise<string> {
  try {
    if (typeof value === 'string') return bounded(modelDescription ?? 'Attached text', value);
    if (value instanceof vscode.Uri) return await fileText(value);
    if (value instanceof vscode.Location) {
      const document = await vscode.workspace.openTextDocument(value.uri);
      const lines = `${value.range.start.line + 1}-${value.range.end.line + 1}`;
      return bounded(`${nameOf(value.uri)} lines ${lines}`, document.getText(value.range));
    }
    return '';
  } catch (error) {
    return `[An attachment could not be read: ${messageOf(error, 200)}]`;
  }
}

/** For a resource with several contents, which is a folder, the text of each. */
async function fileText(uri: vscode.Uri): Promise<string> {
  const { fs } = vscode.workspace;
  if (uri.scheme !== 'mcp' || (await fs.stat(uri)).type !== vscode.FileType.Directory) {
    return bounded(nameOf(uri), (await vscode.workspace.openTextDocument(uri)).getText());
  }
  const parts = (await fs.readDirectory(uri)).slice(0, MAX_PARTS).map(([name]) => vscode.Uri.joinPath(uri, name));
  const texts = await Promise.all(parts.map(value => textOf({ id: '', value })));
  return texts.join('\n\n');
}

/** A resource by its server and its own address, which is what tools take; a file as people write it. */
function nameOf(uri: vscode.Uri): string {
  const resource = parseResourceUri(uri);
  if (!resource) return withoutOwn(uri).toString(true);
  const part = resource.part === undefined ? '' : ` (${resource.part})`;
  return `Resource ${resource.uri}${part} of MCP server "${resource.serverId}"`;
}

function bounded(name: string, text: string): string {
  const shown =
    text.length > MAX_REFERENCE
      ? `${text.slice(0, MAX_REFERENCE)}\n[… ${text.length - MAX_REFERENCE} characters left out]`
      : text;
  return revealed(`${name}:\n${shown}`);
}
