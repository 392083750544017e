import type { Tool } from '@modelcontextprotocol/client';
import type { PlainText } from '../../base/text';
import { t } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { ApprovalAnswer, ApprovalRule } from './core/approvals';
import { type ArgumentRule, ruleId } from './core/argumentRules';
import type { Trust } from './trust';

/** `forget`: no answer is remembered, so each call asks. */
export type RuleChange = ApprovalAnswer | 'forget';

/** Identifies a remembered answer, even if its server or tool no longer exists. */
type RulePlace = Pick<ApprovalRule, 'scope' | 'chat' | 'serverId' | 'toolName' | 'arguments'>;

/** Changes remembered answers. Each change is a line in the audit log. */
export class ApprovalChanges {
  constructor(
    private readonly servers: ServerSet,
    private readonly trust: Pick<Trust, 'policy' | 'audit' | 'pins'>,
  ) {}

  /**
   * The answers that are possible for all of these. Only existing tools can be allowed, in their current form, and only after
   * their changes were reviewed.
   */
  possible(places: readonly RulePlace[]): RuleChange[] {
    const canAllow = places.every(({ scope, serverId, toolName }) => {
      const { server, tool } = this.find(serverId, toolName);
      if (!server || !tool || this.trust.pins.toolState(server, tool) === 'changed') return false;
      return scope !== 'user' || server.definition.source.scope === 'user';
    });
    return [...(canAllow ? (['allow'] as const) : []), 'ask', 'deny', 'forget'];
  }

  /** @param rule narrows `allow` to arguments. */
  async apply(place: RulePlace, change: RuleChange, rule?: ArgumentRule): Promise<void> {
    const { policy, pins } = this.trust;
    const { scope, chat, serverId, toolName } = place;
    if (change === 'forget') await policy.forget(place);
    else {
      const { server, tool } = this.find(serverId, toolName);
      // Answers that allow nothing apply to the name alone.
      const named: Tool = tool ?? { name: toolName, inputSchema: { type: 'object' } };
      const call = {
        serverId,
        serverName: server?.name ?? serverId,
        scope: server?.definition.source.scope ?? 'workspace',
        launch: server?.definition.launch ?? '',
        tool: named,
        args: {},
        isChanged: !server || !tool || pins.toolState(server, tool) === 'changed',
        origin: 'chat',
        ...(chat !== undefined && { chat }),
      } as const;
      if (!(await policy.remember(call, change, scope, rule))) return;
    }
    this.#record(place, change === 'forget' ? 'revoked' : change, rule ?? place.arguments);
  }

  /** Changes the arguments to which an approval was narrowed. */
  async narrow(place: ApprovalRule, to: ArgumentRule): Promise<void> {
    await this.trust.policy.change(place, to);
    this.#record(place, 'allow', to);
  }

  /** Whether an answer that allows something applies to the current tool. Undefined: unknown at the moment. */
  isCurrent(rule: ApprovalRule): boolean | undefined {
    const { server, tool } = this.find(rule.serverId, rule.toolName);
    if (!server || !tool) return undefined;
    return this.trust.policy.isCurrent(rule, {
      serverId: server.id,
      scope: server.definition.source.scope,
      launch: server.definition.launch,
      tool,
    });
  }

  find(serverId: string, toolName: string): { server?: ServerConnection | undefined; tool?: Tool | undefined } {
    const server = this.servers.get(serverId);
    const isUp = server?.state.kind === 'ready';
    return { server, tool: isUp ? server.catalog.tools.find(({ name }) => name === toolName) : undefined };
  }

  #record({ serverId, toolName, scope }: RulePlace, answer: string, rule: ArgumentRule | undefined): void {
    const about = rule && { rule: ruleId(rule) };
    this.trust.audit.record({ type: 'approval', server: serverId, tool: toolName, answer, scope, ...about });
  }
}

/** Describes a remembered answer in words. */
export function answerText(answer: ApprovalAnswer): PlainText {
  return { allow: t('allowed'), ask: t('always ask'), deny: t('denied') }[answer];
}

export function scopeText(scope: ApprovalRule['scope']): PlainText {
  return { chat: t('in one chat'), workspace: t('in this workspace'), user: t('everywhere') }[scope];
}
