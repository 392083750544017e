import type { Progress } from '@modelcontextprotocol/client';
import type { Phrase } from '../../base/phrase';
import { visible, visibleLines } from '../../base/text';
import { errorText } from '../../editor/errorText';
import type { PageItem, PageKind } from '../../editor/openPage';
import type { OpenQuestion, OpenQuestions } from '../../editor/openQuestions';
import { stateText } from '../../editor/stateText';
import { t, verbatim } from '../../editor/window';
import type { CallTime, ServerConnection, ServerSet } from '../../host';
import { completionSource, type FeedState, type Suggest, SuggestionFeed } from '../prompts';
import type { ArgumentForm } from './core/argumentForm';
import type { PageAction, PageButton, PageField, ToItemPage } from './core/itemPageMessages';
import type { ItemRun, RunResult } from './core/itemRuns';
import type { ContentBlock, ResultBlock } from './core/resultBlocks';
import type { JsonSchema } from './core/schemaFields';

import vscode = require('vscode');

const MAX_DESCRIPTION = 20_000;

export interface ItemPlace {
  readonly kind: PageKind;
  readonly server: string;
  /** The name of a tool or prompt, the `uriTemplate` of a template. */
  readonly name: string;
}

export interface PageRow {
  readonly server: ServerConnection;
  readonly kind: PageKind;
  readonly item: PageItem;
}

export type Arguments = Record<string, unknown>;
type DescribedItem = ToItemPage & { type: 'item' };

/** A run that nothing stands in the way of. */
export interface PreparedRun {
  readonly args: Arguments;
  run(options: {
    signal: AbortSignal;
    onProgress(step: Progress): void;
    time: CallTime;
  }): Promise<{ result: RunResult; problem?: Phrase | undefined }>;
}

/** Texts of a page that depend on its kind. */
interface PageWords {
  readonly texts?: Readonly<Record<string, string>>;
  readonly buttons: readonly PageButton[];
  /** Stands in place of the form when there is nothing to ask for. */
  readonly noArguments: string;
  readonly gone: (server: string) => string;
}

export interface PageServices {
  readonly servers: ServerSet;
  readonly questions: Pick<OpenQuestions, 'all' | 'onDidChange'>;
}

/**
 * The subject of a page: a tool, a prompt or a resource template of a server. Server and item are looked up each time, as the
 * server may stop and the item vanish or change while its page is open.
 */
export abstract class PageSubject<I extends PageItem = PageItem, S extends PageServices = PageServices> {
  #item: I | undefined;

  constructor(
    readonly place: ItemPlace,
    protected readonly services: S,
  ) {}

  abstract readonly words: PageWords;
  readonly beside: 'json' | 'uri' | undefined = undefined;

  get server(): ServerConnection | undefined {
    return this.services.servers.get(this.place.server);
  }

  /** The item that the server offers now; undefined when it can't be used. */
  get offered(): I | undefined {
    return this.server?.offers(this.place.kind).find(item => keyOfItem(item) === this.place.name) as I | undefined;
  }

  /** The item as the server offered it last. */
  get item(): I | undefined {
    const { offered } = this;
    if (offered) this.#item = offered;
    return this.#item;
  }

  get title(): string {
    const { item } = this;
    return visible(item?.title || item?.name || this.place.name, 120);
  }

  /** The schema of its arguments, like a tool's. */
  abstract schema(item: I): JsonSchema;
  abstract lastArguments(server: ServerConnection, item: I): Arguments | undefined;
  /** Asks what must be asked first. Undefined: it is not run, and the person knows why. */
  abstract prepare(server: ServerConnection, item: I, args: Arguments): Promise<PreparedRun | undefined>;
  abstract blocks(result: RunResult): ResultBlock[];
  /** The blocks by which links in `blocks` are numbered. */
  abstract content(result: RunResult): readonly ContentBlock[];
  /** Opens a result, or what it was made of, in an editor. */
  abstract open(run: ItemRun): Promise<void>;
  /** Carries out an action that only this kind has. @param run the shown one. */
  abstract act(action: PageAction, args: Arguments, run: ItemRun | undefined): Promise<void>;

  /** The problem with the arguments as a whole. */
  problem(_schema: JsonSchema, _args: unknown): string | undefined {
    return undefined;
  }

  /** Changes what the schema makes of a field. */
  field(field: PageField): PageField {
    const { server } = this;
    const suggests = server?.info?.capabilities.completions !== undefined;
    return { ...field, hint: '', suggests };
  }

  uri(_args: Arguments): string {
    return '';
  }

  /** Actions on a result besides opening it. */
  resultButtons(_run: ItemRun): readonly PageButton[] {
    return [];
  }

  /** A run has begun. @param _outcome rejects when it was cancelled or has failed. */
  began(_args: Arguments, _outcome: ReturnType<PreparedRun['run']>): void {}

  /** Facts in the header besides name and server. */
  protected facts(_item: I | undefined): string[] {
    return [];
  }

  /** Why it must not be used now, though its server offers it. */
  protected async refused(): Promise<DescribedItem['notice']> {
    return undefined;
  }

  protected approval(): DescribedItem['approval'] {
    return undefined;
  }

  /** Where suggestions for its arguments come from. */
  get suggest(): ReturnType<typeof completionSource> {
    const { server } = this;
    const { kind, name } = this.place;
    if (!server || kind === 'tools') return undefined;
    return completionSource(
      server,
      this.services.servers.byHand,
      kind === 'prompts' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name },
    );
  }

  async describe(): Promise<DescribedItem> {
    const { server, item, title } = this;
    const refused = await this.refused();
    const isOffered = this.offered !== undefined;
    const own = visible(this.place.name, 200);
    return {
      type: 'item',
      title,
      facts: [own === title ? '' : own, visible(server?.id ?? this.place.server), ...this.facts(item)].filter(Boolean),
      description: item?.description ? visibleLines(item.description, MAX_DESCRIPTION) : '',
      notice: refused ?? this.#notice(server, isOffered),
      approval: isOffered ? this.approval() : undefined,
      canRun: isOffered && !refused,
    };
  }

  /** The question of its server that waits for the person. */
  get question(): OpenQuestion | undefined {
    return this.services.questions.all.find(({ server }) => server.id === this.place.server);
  }

  #notice(server: ServerConnection | undefined, isOffered: boolean): DescribedItem['notice'] {
    const id = visible(this.place.server);
    if (!server) return { text: verbatim('MCP server "{0}" is not configured in this window.', id), buttons: [] };
    if (isOffered) {
      const { question } = this;
      if (!question) return undefined;
      const text = verbatim('MCP server "{0}" waits for your answer: {1}', server.name, question.message);
      return { text, buttons: [{ action: 'answer', label: t('Answer…') }] };
    }
    const log: PageButton = { action: 'showLog', label: t('Show Server Log') };
    const { state, name } = server;
    if (state.kind === 'needsAuth') {
      const text = verbatim('MCP server "{0}" needs you to sign in.', name);
      return { text, buttons: [{ action: 'signIn', label: t('Sign In') }, log] };
    }
    if (state.kind === 'starting' || server.catalog.list(this.place.kind).status === 'loading')
      return { text: verbatim('MCP server "{0}" is starting.', name), buttons: [log] };
    if (state.kind === 'ready') return { text: this.words.gone(name), buttons: [log] };
    const text = verbatim('MCP server "{0}" is not running: {1}.', name, stateText(server));
    return { text, buttons: [{ action: 'start', label: t('Start Server') }, log] };
  }
}

export const keyOfItem = (item: PageItem): string => ('uriTemplate' in item ? item.uriTemplate : item.name) as string;

/** Arguments of prompts and variables of templates, which are all text, as the schema of a tool has them. */
export function schemaOfTexts(
  questions: readonly { readonly name: string; title?: unknown; description?: unknown; readonly required: boolean }[],
): JsonSchema {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const properties = questions.map(({ name, title, description }) => [
    name,
    { type: 'string', title: text(title), description: text(description) },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: questions.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Arguments as the protocol wants those of prompts; what was left out stays out. */
export const textsOf = (args: Arguments): Record<string, string> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

export const keyOfPlace = ({ kind, server, name }: ItemPlace): string => JSON.stringify([kind, server, name]);

/** A server may send up to 100 (spec: server/utilities/completion#completion-results); not all do as they should. */
const MAX_VALUES = 200;

/** Servers' suggestions for the focused field, given the values of the others. */
export class FieldSuggestions implements vscode.Disposable {
  #feed: SuggestionFeed | undefined;
  /** The subject of the feed: another field, or other values beside it, need another feed. */
  #about = '';

  constructor(private readonly post: (message: ToItemPage) => void) {}

  ask(
    form: ArgumentForm,
    { index, text }: { readonly index: number; readonly text: string },
    suggest: Suggest | undefined,
  ): void {
    const [name] = form.steps[index]?.path ?? [];
    if (name === undefined || !suggest) return;
    const { [name]: _, ...others } = textsOf(form.args);
    const about = JSON.stringify([index, others]);
    if (about !== this.#about) {
      this.dispose();
      this.#about = about;
      const source = {
        fetch: (value: string, signal: AbortSignal) => suggest(name, value, others, signal),
        cached: (value: string) => suggest.cached?.(name, value, others),
      };
      this.#feed = new SuggestionFeed(source, state => this.#tell(index, state));
    }
    const feed = this.#feed;
    // What is asked for again is known, or on its way.
    if (feed?.state.typed === text && (feed.state.completion || feed.state.error)) this.#tell(index, feed.state);
    else feed?.type(text);
  }

  dispose(): void {
    this.#feed?.dispose();
    this.#feed = undefined;
    this.#about = '';
  }

  #tell(index: number, { typed, busy, completion, error }: FeedState): void {
    if (busy) {
      this.post({ type: 'suggestions', index, text: typed, values: null, note: '' });
      return;
    }
    const values = completion?.values.filter(value => typeof value === 'string') ?? [];
    const shown = values.slice(0, MAX_VALUES);
    const isCut = completion?.hasMore === true || values.length > shown.length;
    const note = error ? visible(errorText(error), 300) : isCut ? t('There are more. Type to narrow them down.') : '';
    this.post({ type: 'suggestions', index, text: typed, values: shown, note });
  }
}
