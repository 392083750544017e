import type { Tool } from '@modelcontextprotocol/client';
import { Emitter, getOrInsert, Owner } from '../../../base/events';
import { fingerprint } from '../../../base/fingerprint';
import { ownMember, parsedJson } from '../../../base/json';
import { matches } from '../../../base/text';
import { toolDefinition } from '../../../host/catalog';
import {
  type DefinitionSource,
  KEPT_SCOPES,
  KeptFor,
  type KeptScope,
  keptScope,
  type ProgramStore,
  programRecords,
  type ServerDefinition,
  type ServerId,
} from '../../../host/definition';
import { type ArgumentRule, isSameRule, parseRule, ruleHolds } from './argumentRules';

/** How long an answer holds: for one call, for a chat session, for a workspace, for the person everywhere. */
export type ApprovalScope = 'call' | 'chat' | 'workspace' | 'user';
/** `ask` in a narrower scope takes back an `allow` of a wider one. */
export type ApprovalAnswer = 'allow' | 'ask' | 'deny';

/** Origins that need no question: the person typed or chose the call by hand; skills and tests are approved elsewhere. */
const BY_HAND = ['palette', 'check', 'trace', 'skills', 'test'] as const;
export type ByHand = (typeof BY_HAND)[number];
/** Who makes a request: the person by hand, or a program or model on their behalf. */
export type Origin = ByHand | 'chat' | 'languageModelTool' | 'gateway' | 'app' | 'extension' | 'agent';

export const isByHand = (origin: Origin): origin is ByHand => (BY_HAND as readonly string[]).includes(origin);

export interface ToolCall {
  serverId: ServerId;
  /** The name in settings. In a multi-root workspace the id differs; denials apply to both. */
  serverName: string;
  /** Its id if no other folder has the same name. Denials under that id apply too. Absent: `serverId`. */
  plainId?: ServerId;
  /** Where the server is configured. An approval "everywhere" does not apply to a server that a workspace brings. */
  scope: DefinitionSource['scope'];
  /** What is launched under the id: see `ServerDefinition.launch`. A different program inherits no approval. */
  launch: string;
  tool: Tool;
  args: Readonly<Record<string, unknown>>;
  /** Whether the tool has changed since it was accepted, without a review. Then only this call can be allowed. */
  isChanged: boolean;
  origin: Origin;
  /** Key of the chat session, for answers with that scope. */
  chat?: string;
}

export type NamedServer = Pick<ServerDefinition, 'id' | 'name'>;

type ApprovedThing = Pick<ToolCall, 'serverId' | 'scope' | 'launch' | 'tool'>;

/** `only`: allowed if one of the rules matches the arguments. Absent: whatever they are. */
interface AllowedCalls {
  readonly only?: readonly ArgumentRule[];
}

type KeptAnswer = KeptFor<AllowedCalls> | 'ask' | 'deny';
type KeptAnswers = Readonly<Record<string, KeptAnswer>>;

/** What was allowed, in its stored form: its launch is in its key. */
type StoredAnswer = ApprovalAnswer | { readonly only: readonly ArgumentRule[] };

/** Keys are the policy's own; see `ApprovalPolicy.rules` for what they mean. */
export type StoredApprovals = Record<string, StoredAnswer>;

/** The verdict on a call, and the argument rule that allowed it, if any. */
interface Judgement {
  readonly answer: ApprovalAnswer;
  readonly rule?: ArgumentRule;
}

export interface ApprovalRule {
  scope: Exclude<ApprovalScope, 'call'>;
  /** For scope `chat`. */
  chat?: string;
  serverId: ServerId;
  toolName: string;
  answer: ApprovalAnswer;
  /** SHA-256 of the approved tool definition. Absent for other answers, which also apply after the tool changes. */
  definition?: string;
  /** The arguments that it was narrowed to. Absent: all. */
  arguments?: ArgumentRule;
}

/** The end of a chat is not announced. Beyond this many, the oldest one's answers are forgotten. */
const MAX_CHATS = 200;
/** The most rules for one tool in one scope; the oldest are forgotten. */
const MAX_RULES = 50;

/** The person's own settings. Workspace settings do not count. */
interface ApprovalOptions {
  /** Whether tools that claim to be read-only need no approval. */
  skipReadOnly: boolean;
  /** `server/tool`, with `*` for any characters: never called. */
  deny: readonly string[];
  /** Whether the organization wants a person to be asked about each call. */
  asksAlways?: boolean;
}

/**
 * Decides every tool call, from any origin. "Always" is bound to the approved definition: a tool that changes (spec:
 * server/tools, `notifications/tools/list_changed`) is asked about again, and so is one of a different program under the same
 * id. A denial in any scope wins, by name. A server's own annotations allow nothing unless the person has said so in
 * settings.
 */
export class ApprovalPolicy extends Owner {
  readonly #changed = this.own(new Emitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly #chats = new Map<string, KeptAnswers>();
  readonly #hashes = new WeakMap<Tool, string>();

  constructor(
    /** Never settings: a cloned repository must not be able to approve itself. */
    private readonly store: ProgramStore,
    private readonly options: () => ApprovalOptions,
  ) {
    super();
  }

  /** Whether no answer holds for longer than one call. */
  get asksAlways(): boolean {
    return this.options().asksAlways === true;
  }

  decide(call: ToolCall): Judgement {
    const { serverId, serverName, plainId = serverId, tool } = call;
    const options = this.options();
    const names = [serverId, plainId, serverName].map(server => `${server}/${tool.name}`);
    if (options.deny.some(pattern => names.some(name => matches(pattern, name)))) return { answer: 'deny' };
    const [ofWorkspace, ofUser] = [this.#stored('workspace'), this.#stored('user')];
    const scopes = [this.#chat(call.chat), ofWorkspace, ofUser];
    const named = ruleKey(serverId, tool.name);
    const denied = [named, ruleKey(plainId, tool.name)];
    if (scopes.some(rules => denied.some(key => ownMember(rules, key) === 'deny'))) return { answer: 'deny' };
    if (ownMember(ofUser, ruleKey(serverName, tool.name)) === 'deny') return { answer: 'deny' };
    if (call.isChanged) return { answer: 'ask' };
    if (isByHand(call.origin)) return { answer: 'allow' };
    const allowed = options.asksAlways ? undefined : this.#allowKey(call);
    // The narrowest scope with an answer wins. Argument rules do not apply to other calls.
    for (const [index, rules] of scopes.entries()) {
      const mayAllow = allowed !== undefined && (index < 2 || call.scope === 'user');
      const kept = mayAllow ? allowanceOf(rules, allowed)?.for(call) : undefined;
      const rule = kept?.only?.find(one => ruleHolds(one, call.args));
      if (rule) return { answer: 'allow', rule };
      if (ownMember(rules, named) === 'ask') return { answer: 'ask' };
      if (kept && !kept.only) return { answer: 'allow' };
    }
    return {
      answer: options.skipReadOnly && !options.asksAlways && tool.annotations?.readOnlyHint === true ? 'allow' : 'ask',
    };
  }

  /**
   * Stores an answer, replacing an earlier one of the same scope. Approvals with a `rule` are kept side by side. Nothing is
   * allowed for longer than one call if the tool's definition is too deep to be compared, or has changed without a review.
   * @returns whether it is stored.
   */
  async remember(
    call: ToolCall,
    answer: ApprovalAnswer,
    scope: Exclude<ApprovalScope, 'call'>,
    rule?: ArgumentRule,
  ): Promise<boolean> {
    if (answer === 'allow' && (call.isChanged || this.asksAlways)) return false;
    const key = answer === 'allow' ? this.#allowKey(call) : ruleKey(call.serverId, call.tool.name);
    if (key === undefined || (scope === 'chat' && call.chat === undefined)) return false;
    const before = this.#rules(scope, call.chat);
    const others = (allowanceOf(before, key)?.for(call)?.only ?? []).filter(one => !rule || !isSameRule(one, rule));
    const allowed = rule ? { only: [...others, rule].slice(-MAX_RULES) } : {};
    const kept = answer === 'allow' ? new KeptFor<AllowedCalls>(call, allowed) : answer;
    const rules = { ...without(before, call.serverId, call.tool.name), [key]: kept };
    const named = ruleKey(call.serverId, call.tool.name);
    // It still applies to other calls: without it, a wider scope might allow them.
    if (answer === 'allow' && rule && ownMember(before, named) === 'ask') rules[named] = 'ask';
    await this.#set(scope, call.chat, rules);
    return true;
  }

  /** Replaces an argument rule. The approval stays bound to the same definition. */
  async change(place: ApprovalRule, to: ArgumentRule): Promise<void> {
    const { arguments: from, scope, chat } = place;
    if (!from) return;
    const replaced = Object.entries(this.#rules(scope, chat)).map(([key, kept]): [string, KeptAnswer] => {
      const [server, name, definition] = partsOf(key);
      const isIt = server === place.serverId && name === place.toolName && definition === place.definition;
      if (!isIt || typeof kept === 'string' || !kept.stored.only) return [key, kept];
      const others = kept.stored.only.filter(one => isSameRule(one, from) || !isSameRule(one, to));
      return [
        key,
        narrowedTo(
          kept,
          others.map(one => (isSameRule(one, from) ? to : one)),
        ),
      ];
    });
    await this.#set(scope, chat, Object.fromEntries(replaced));
  }

  /** Forgets the answers for a tool or all of a server in one scope, or the one narrowed to `arguments`. */
  async forget(
    rule: Pick<ApprovalRule, 'scope' | 'chat' | 'serverId' | 'arguments'> & { toolName?: string },
  ): Promise<void> {
    const rules = this.#rules(rule.scope, rule.chat);
    await this.#set(rule.scope, rule.chat, without(rules, rule.serverId, rule.toolName, rule.arguments));
  }

  /** Withdraws approvals of a tool in every scope, but not of the tool as it is `now`. @returns whether any was. */
  async withdraw(serverId: ServerId, toolName: string, now?: Omit<ApprovedThing, 'serverId'>): Promise<boolean> {
    const rules = this.rules.filter(
      rule =>
        rule.answer === 'allow' &&
        rule.serverId === serverId &&
        rule.toolName === toolName &&
        !(now && this.isCurrent(rule, { serverId, ...now })),
    );
    for (const rule of rules) await this.forget(rule);
    return rules.length > 0;
  }

  /** Whether an approval still applies to a tool: it is the approved one. */
  isCurrent({ scope, chat, arguments: rule }: ApprovalRule, call: ApprovedThing): boolean {
    const key = this.#allowKey(call);
    const kept = key === undefined ? undefined : allowanceOf(this.#rules(scope, chat), key)?.for(call);
    return rule ? kept?.only?.some(one => isSameRule(one, rule)) === true : kept !== undefined && !kept.only;
  }

  /** Every answer that is remembered, the narrowest scope first. */
  get rules(): readonly ApprovalRule[] {
    return [
      ...[...this.#chats].flatMap(([chat, rules]) => parsed(rules, { scope: 'chat', chat })),
      ...KEPT_SCOPES.flatMap(scope => parsed(this.#stored(scope), { scope })),
    ];
  }

  /** The person gave a server another name: approvals, which are bound to the launch, and above all denials hold there, too. */
  async copy(from: NamedServer, to: NamedServer): Promise<void> {
    for (const scope of KEPT_SCOPES) {
      const rules = this.#stored(scope);
      const copied = Object.entries(rules).flatMap(([key, kept]) => {
        const [server, ...parts] = partsOf(key);
        if (parts.length === 0) return [];
        const of = server === from.id ? to.id : server === from.name && kept === 'deny' ? to.name : undefined;
        return of === undefined ? [] : [[JSON.stringify([of, ...parts]), kept] as const];
      });
      if (copied.length > 0) await this.#set(scope, undefined, { ...Object.fromEntries(copied), ...rules });
    }
  }

  #stored(scope: KeptScope): KeptAnswers {
    return parseApprovals(this.store.get(scope));
  }

  #rules(scope: Exclude<ApprovalScope, 'call'>, chat: string | undefined): KeptAnswers {
    return scope === 'chat' ? this.#chat(chat) : this.#stored(scope);
  }

  #chat(chat: string | undefined): KeptAnswers {
    return (chat !== undefined && this.#chats.get(chat)) || {};
  }

  async #set(scope: Exclude<ApprovalScope, 'call'>, chat: string | undefined, rules: KeptAnswers): Promise<void> {
    if (scope !== 'chat') await this.store.set(scope, programRecords(rules, storedAnswer));
    else if (chat !== undefined) {
      this.#chats.delete(chat);
      this.#chats.set(chat, rules);
      if (this.#chats.size > MAX_CHATS) this.#chats.delete(this.#chats.keys().next().value!);
    }
    this.#changed.fire();
  }

  /**
   * Undefined when the definition can't be hashed. Approvals of the person's own server do not apply to one that a workspace
   * puts in its place, or the reverse, and none applies to a different launch. Keys of the first version had no launch, so
   * they never equal these.
   */
  #allowKey({ serverId, scope, launch, tool }: ApprovedThing): string | undefined {
    try {
      const definition = getOrInsert(this.#hashes, tool, () => fingerprint(toolDefinition(tool)));
      return JSON.stringify([serverId, tool.name, definition, launch, keptScope({ scope })]);
    } catch {
      return undefined;
    }
  }
}

function ruleKey(serverId: ServerId, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}

/** What a different version stored is left out: without an answer, the person is asked. */
function parseApprovals(value: unknown): KeptAnswers {
  const entries = Object.entries(Object(value)).map(([key, kept]) => [key, parseAnswer(key, kept)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, KeptAnswer] => entry[1] !== undefined));
}

function parseAnswer(key: string, value: unknown): KeptAnswer | undefined {
  if (value === 'ask' || value === 'deny') return value;
  const [, , , launch = ''] = partsOf(key);
  return KeptFor.parse({ launch, value }, () => parseAllowed(value));
}

function parseAllowed(value: unknown): AllowedCalls | undefined {
  if (value === 'allow') return {};
  const { only } = Object(value) as { only?: unknown };
  if (!Array.isArray(only)) return undefined;
  const rules = only.map(parseRule).filter(rule => rule !== undefined);
  return rules.length > 0 ? { only: rules } : undefined;
}

/** The launch is in the key. */
const storedAnswer = ({ stored: { only } }: KeptFor<AllowedCalls>): StoredAnswer => (only ? { only } : 'allow');

const narrowedTo = ({ stored: { launch } }: KeptFor<AllowedCalls>, only: readonly ArgumentRule[]) =>
  new KeptFor<AllowedCalls>({ launch }, { only });

function allowanceOf(rules: KeptAnswers, key: string): KeptFor<AllowedCalls> | undefined {
  const kept = ownMember(rules, key);
  return typeof kept === 'object' ? kept : undefined;
}

function without(
  rules: KeptAnswers,
  serverId: ServerId,
  toolName: string | undefined,
  only?: ArgumentRule,
): Record<string, KeptAnswer> {
  const kept = Object.entries(rules).flatMap(([key, answer]): [string, KeptAnswer][] => {
    const [server, name] = partsOf(key);
    if (server !== serverId || (toolName !== undefined && name !== toolName)) return [[key, answer]];
    if (!only) return [];
    if (typeof answer === 'string' || !answer.stored.only) return [[key, answer]];
    const left = answer.stored.only.filter(rule => !isSameRule(rule, only));
    return left.length > 0 ? [[key, narrowedTo(answer, left)]] : [];
  });
  return Object.fromEntries(kept);
}

function parsed(rules: KeptAnswers, where: Pick<ApprovalRule, 'scope' | 'chat'>): ApprovalRule[] {
  return Object.entries(rules).flatMap(([key, kept]): ApprovalRule[] => {
    const [serverId, toolName, definition] = partsOf(key);
    if (serverId === undefined || toolName === undefined) return [];
    const about = { ...where, serverId, toolName, ...(definition !== undefined && { definition }) };
    if (typeof kept === 'string') return [{ ...about, answer: kept }];
    const { only } = kept.stored;
    if (!only) return [{ ...about, answer: 'allow' }];
    return only.map(rule => ({ ...about, answer: 'allow', arguments: rule }));
  });
}

/** Server, tool and, for an approval, the hash. Empty for a key that is not ours. */
function partsOf(key: string): string[] {
  const parts = parsedJson(key);
  return Array.isArray(parts) && parts.every(part => typeof part === 'string') ? parts : [];
}

/** The entries that a deny list needs so that it still covers a renamed server. */
export function deniedToo(deny: readonly string[], from: NamedServer, to: NamedServer): string[] {
  return deny.flatMap(pattern => {
    const slash = pattern.indexOf('/');
    const server = pattern.slice(0, slash);
    const isMeant = slash >= 0 && [from.id, from.name].some(name => matches(server, name));
    const repeated = `${to.name}${pattern.slice(slash)}`;
    return isMeant && !matches(server, to.name) && !deny.includes(repeated) ? [repeated] : [];
  });
}
