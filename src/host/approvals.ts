import type { Tool } from '@modelcontextprotocol/client';
import type { ServerId } from './definition';
import { Emitter } from './events';
import { fingerprint } from './settings/fingerprint';

/** How long an answer holds: for one call, for a chat session, for a workspace, for the person everywhere. */
export type ApprovalScope = 'call' | 'chat' | 'workspace' | 'user';
export type ApprovalAnswer = 'allow' | 'deny';

/** A call that somebody wants to make. */
export interface ToolCall {
  serverId: ServerId;
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
  /** SHA-256 of the tool's definition that was approved. A denial has none: it holds whatever the tool becomes. */
  definition?: string;
}

/** Chats end without telling anybody; beyond this many the oldest one's answers are forgotten. */
const MAX_CHATS = 200;
const STORED = ['workspace', 'user'] as const;

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
    private readonly options: () => { skipReadOnly: boolean },
  ) {}

  decide(call: ToolCall): 'allow' | 'ask' | 'deny' {
    const scopes = [this.#chat(call.chat), this.store.get('workspace'), this.store.get('user')];
    const denied = denyKey(call.serverId, call.tool.name);
    if (scopes.some(rules => answerOf(rules, denied) === 'deny')) return 'deny';
    // Somebody who has just chosen the tool and typed its arguments has answered already.
    if (call.origin === 'palette') return 'allow';
    const allowed = this.#allowKey(call);
    if (allowed !== undefined && scopes.some(rules => answerOf(rules, allowed) === 'allow')) return 'allow';
    return this.options().skipReadOnly && call.tool.annotations?.readOnlyHint === true ? 'allow' : 'ask';
  }

  /**
   * Keeps an answer, in place of an earlier one of the same scope. A tool whose definition is too deep to be told from
   * another one can't be allowed for longer than one call: then nothing is kept.
   */
  async remember(call: ToolCall, answer: ApprovalAnswer, scope: Exclude<ApprovalScope, 'call'>): Promise<void> {
    const key = answer === 'deny' ? denyKey(call.serverId, call.tool.name) : this.#allowKey(call);
    if (key === undefined || (scope === 'chat' && call.chat === undefined)) return;
    const rules = without(this.#rules(scope, call.chat), call.serverId, call.tool.name);
    await this.#set(scope, call.chat, { ...rules, [key]: answer });
  }

  /** Forgets what was answered for a tool in one scope; without a tool, for all tools of the server. */
  async forget(rule: Pick<ApprovalRule, 'scope' | 'chat' | 'serverId'> & { toolName?: string }): Promise<void> {
    const rules = this.#rules(rule.scope, rule.chat);
    await this.#set(rule.scope, rule.chat, without(rules, rule.serverId, rule.toolName));
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

  /** Undefined when the definition can't be hashed. */
  #allowKey({ serverId, tool }: ToolCall): string | undefined {
    try {
      const definition = this.#hashes.get(tool) ?? definitionHash(tool);
      this.#hashes.set(tool, definition);
      return JSON.stringify([serverId, tool.name, definition]);
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
export function definitionHash({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return fingerprint({ name, title, description, inputSchema, outputSchema, annotations });
}

function denyKey(serverId: ServerId, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
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
