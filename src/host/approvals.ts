import type { Tool } from '@modelcontextprotocol/client';
import type { DefinitionSource, ServerId } from './definition';
import { Emitter } from './events';
import { toolDefinition } from './pins';
import { fingerprint } from './settings/fingerprint';

/** How long an answer holds: for one call, for a chat session, for a workspace, for the person everywhere. */
export type ApprovalScope = 'call' | 'chat' | 'workspace' | 'user';
/** `ask` in a narrower scope takes back an `allow` of a wider one. */
export type ApprovalAnswer = 'allow' | 'ask' | 'deny';

/** A call that somebody wants to make. */
export interface ToolCall {
  serverId: ServerId;
  /** As configured. In a workspace of several folders the id is another one; denials hold for both. */
  serverName: string;
  /** Its id where no other folder has the same name; denials hold for that too. Absent: `serverId`. */
  plainId?: ServerId;
  /** Where the server is configured. What was allowed everywhere does not hold for a server that a workspace brings. */
  scope: DefinitionSource['scope'];
  tool: Tool;
  /** Who asks. */
  origin: 'chat' | 'palette' | 'languageModelTool' | 'gateway';
  /** Key of the chat session, for answers that hold for it. */
  chat?: string;
}

/** Keys are the policy's own; see `ApprovalPolicy.rules` for what they mean. */
export type StoredApprovals = Record<string, ApprovalAnswer>;

/** Where answers are kept. Never settings: a cloned repository must not be able to approve itself. */
export interface ApprovalStore {
  get(scope: 'workspace' | 'user'): StoredApprovals;
  set(scope: 'workspace' | 'user', rules: StoredApprovals): Promise<void>;
}

/** A remembered answer. */
export interface ApprovalRule {
  scope: Exclude<ApprovalScope, 'call'>;
  /** For scope `chat`. */
  chat?: string;
  serverId: ServerId;
  toolName: string;
  answer: ApprovalAnswer;
  /** SHA-256 of the tool's definition that was approved. Other answers have none: they hold whatever the tool becomes. */
  definition?: string;
}

/** Chats end without telling anybody; beyond this many the oldest one's answers are forgotten. */
const MAX_CHATS = 200;
const STORED = ['workspace', 'user'] as const;

/** What the person's own settings say; settings of a workspace have no say. */
export interface ApprovalOptions {
  /** Tools that say they only read need no approval. */
  skipReadOnly: boolean;
  /** `server/tool`, with `*` for any characters: never called. */
  deny: readonly string[];
}

/**
 * Decides every tool call, wherever it comes from. "Always" is bound to the definition that was approved: a tool that
 * changes (spec: server/tools, `notifications/tools/list_changed`) is asked about again. A denial anywhere wins; what a
 * server says of its own tool (`annotations`) allows nothing unless the person has said so in settings.
 */
export class ApprovalPolicy {
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #chats = new Map<string, StoredApprovals>();
  readonly #hashes = new WeakMap<Tool, string>();

  constructor(
    private readonly store: ApprovalStore,
    private readonly options: () => ApprovalOptions,
  ) {}

  decide(call: ToolCall): ApprovalAnswer {
    const { serverId, serverName, plainId = serverId, tool } = call;
    const options = this.options();
    const names = [serverId, plainId, serverName].map(server => `${server}/${tool.name}`);
    if (options.deny.some(pattern => names.some(name => matches(pattern, name)))) return 'deny';
    const scopes = [this.#chat(call.chat), this.store.get('workspace'), this.store.get('user')];
    const named = ruleKey(serverId, tool.name);
    const denied = [named, ruleKey(plainId, tool.name)];
    if (scopes.some(rules => denied.some(key => answerOf(rules, key) === 'deny'))) return 'deny';
    if (answerOf(this.store.get('user'), ruleKey(serverName, tool.name)) === 'deny') return 'deny';
    // Somebody who has just chosen the tool and typed its arguments has answered already.
    if (call.origin === 'palette') return 'allow';
    const allowed = this.#allowKey(call);
    // The narrowest scope that says anything.
    for (const [index, rules] of scopes.entries()) {
      if (answerOf(rules, named) === 'ask') return 'ask';
      const holds = index < 2 || call.scope === 'user';
      if (holds && allowed !== undefined && answerOf(rules, allowed) === 'allow') return 'allow';
    }
    return options.skipReadOnly && tool.annotations?.readOnlyHint === true ? 'allow' : 'ask';
  }

  /**
   * Keeps an answer, in place of an earlier one of the same scope. A tool whose definition is too deep to be told from
   * another one can't be allowed for longer than one call: then nothing is kept.
   */
  async remember(call: ToolCall, answer: ApprovalAnswer, scope: Exclude<ApprovalScope, 'call'>): Promise<void> {
    const key = answer === 'allow' ? this.#allowKey(call) : ruleKey(call.serverId, call.tool.name);
    if (key === undefined || (scope === 'chat' && call.chat === undefined)) return;
    const rules = without(this.#rules(scope, call.chat), call.serverId, call.tool.name);
    await this.#set(scope, call.chat, { ...rules, [key]: answer });
  }

  /** Forgets what was answered for a tool in one scope; without a tool, for all tools of the server. */
  async forget(rule: Pick<ApprovalRule, 'scope' | 'chat' | 'serverId'> & { toolName?: string }): Promise<void> {
    const rules = this.#rules(rule.scope, rule.chat);
    await this.#set(rule.scope, rule.chat, without(rules, rule.serverId, rule.toolName));
  }

  /**
   * Forgets that a tool was allowed, in every scope: it is not the tool that was meant. Unless it was allowed as it is
   * `now`. @returns whether anything was forgotten.
   */
  async withdraw(serverId: ServerId, toolName: string, now?: Pick<ToolCall, 'scope' | 'tool'>): Promise<boolean> {
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

  /** Whether an answer that allowed a tool still holds for it: it is what was approved. */
  isCurrent({ scope, chat }: ApprovalRule, call: Pick<ToolCall, 'serverId' | 'scope' | 'tool'>): boolean {
    const key = this.#allowKey(call);
    return key !== undefined && answerOf(this.#rules(scope, chat), key) === 'allow';
  }

  /** Every answer that is remembered, the narrowest scope first. */
  get rules(): readonly ApprovalRule[] {
    return [
      ...[...this.#chats].flatMap(([chat, rules]) => parsed(rules, { scope: 'chat', chat })),
      ...STORED.flatMap(scope => parsed(this.store.get(scope), { scope })),
    ];
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #rules(scope: Exclude<ApprovalScope, 'call'>, chat: string | undefined): StoredApprovals {
    return scope === 'chat' ? this.#chat(chat) : this.store.get(scope);
  }

  #chat(chat: string | undefined): StoredApprovals {
    return (chat !== undefined && this.#chats.get(chat)) || {};
  }

  async #set(scope: Exclude<ApprovalScope, 'call'>, chat: string | undefined, rules: StoredApprovals): Promise<void> {
    if (scope !== 'chat') await this.store.set(scope, rules);
    else if (chat !== undefined) {
      this.#chats.delete(chat);
      this.#chats.set(chat, rules);
      const [oldest] = this.#chats.keys();
      if (this.#chats.size > MAX_CHATS && oldest !== undefined) this.#chats.delete(oldest);
    }
    this.#changed.fire();
  }

  /**
   * Undefined when the definition can't be hashed. What was allowed of a server of the person's does not hold for one that
   * a workspace puts in its place, nor the other way round.
   */
  #allowKey({ serverId, scope, tool }: Pick<ToolCall, 'serverId' | 'scope' | 'tool'>): string | undefined {
    try {
      const definition = this.#hashes.get(tool) ?? definitionHash(tool);
      this.#hashes.set(tool, definition);
      return JSON.stringify([serverId, tool.name, definition, ...(scope === 'user' ? [] : ['workspace'])]);
    } catch {
      return undefined;
    }
  }
}

/**
 * SHA-256 of everything by which a person or a model judges a tool.
 *
 * @throws RangeError when a schema is nested absurdly deep.
 */
function definitionHash(tool: Tool): string {
  return fingerprint(toolDefinition(tool));
}

function ruleKey(serverId: ServerId, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}

/** `*` stands for any characters; all others for themselves. Linear: no regular expression of a person's text. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function answerOf(rules: StoredApprovals, key: string): ApprovalAnswer | undefined {
  return Object.hasOwn(rules, key) ? rules[key] : undefined;
}

function without(rules: StoredApprovals, serverId: ServerId, toolName: string | undefined): StoredApprovals {
  const isOther = ([key]: [string, ApprovalAnswer]) => {
    const [server, name] = partsOf(key);
    return server !== serverId || (toolName !== undefined && name !== toolName);
  };
  return Object.fromEntries(Object.entries(rules).filter(isOther));
}

function parsed(rules: StoredApprovals, where: Pick<ApprovalRule, 'scope' | 'chat'>): ApprovalRule[] {
  return Object.entries(rules).flatMap(([key, answer]) => {
    const [serverId, toolName, definition] = partsOf(key);
    if (serverId === undefined || toolName === undefined) return [];
    return [{ ...where, serverId, toolName, answer, ...(definition !== undefined && { definition }) }];
  });
}

/** Server, tool and, of an approval, the hash. Nothing for a key that is none of ours. */
function partsOf(key: string): string[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) && parts.every(part => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}
