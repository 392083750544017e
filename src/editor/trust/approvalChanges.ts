import type { Tool } from '@modelcontextprotocol/client';
import type { ServerConnection } from '../../host';
import type { ApprovalAnswer, ApprovalRule } from '../../host/approvals';
import type { PlainText } from '../../host/text';
import type { ServerSet } from '../servers/serverSet';
import { t } from '../window';
import type { Trust } from './trust';

/** `forget`: nothing is remembered, so that each call is asked about. */
export type RuleChange = ApprovalAnswer | 'forget';

/** What a remembered answer is about, also when its server or tool is gone. */
export type RulePlace = Pick<ApprovalRule, 'scope' | 'chat' | 'serverId' | 'toolName'>;

/** Changes answers that are remembered. Each change is a line in the audit log. */
export class ApprovalChanges {
  constructor(
    private readonly servers: ServerSet,
    private readonly trust: Pick<Trust, 'policy' | 'audit'>,
  ) {}

  /** The answers that can be given for all of these. Only what is there, as it is now, can be allowed. */
  possible(places: readonly RulePlace[]): RuleChange[] {
    const canAllow = places.every(({ scope, serverId, toolName }) => {
      const { server, tool } = this.find(serverId, toolName);
      return server && tool && (scope !== 'user' || server.definition.source.scope === 'user');
    });
    return [...(canAllow ? (['allow'] as const) : []), 'ask', 'deny', 'forget'];
  }

  async apply({ scope, chat, serverId, toolName }: RulePlace, change: RuleChange): Promise<void> {
    const { policy, audit } = this.trust;
    if (change === 'forget') await policy.forget({ scope, serverId, toolName, ...(chat !== undefined && { chat }) });
    else {
      const { server, tool } = this.find(serverId, toolName);
      if (change === 'allow' && (!server || !tool)) return;
      // Answers that allow nothing are about the name alone.
      const named: Tool = tool ?? { name: toolName, inputSchema: { type: 'object' } };
      const source = server?.definition.source.scope ?? 'workspace';
      const call = {
        serverId,
        serverName: server?.name ?? serverId,
        scope: source,
        tool: named,
        origin: 'chat',
        ...(chat !== undefined && { chat }),
      } as const;
      await policy.remember(call, change, scope);
    }
    const answer = change === 'forget' ? 'revoked' : change;
    audit.record({ type: 'approval', server: serverId, tool: toolName, answer, scope });
  }

  /** Whether an answer that allows something is about the tool as it is now. Undefined: that is not known now. */
  isCurrent(rule: ApprovalRule): boolean | undefined {
    const { server, tool } = this.find(rule.serverId, rule.toolName);
    if (!server || !tool) return undefined;
    return this.trust.policy.isCurrent(rule, { serverId: server.id, scope: server.definition.source.scope, tool });
  }

  find(serverId: string, toolName: string): { server?: ServerConnection | undefined; tool?: Tool | undefined } {
    const server = this.servers.get(serverId);
    const isUp = server?.state.kind === 'ready';
    return { server, tool: isUp ? server.catalog.tools.find(({ name }) => name === toolName) : undefined };
  }
}

/** What is remembered, in words. */
export function answerText(answer: ApprovalAnswer): PlainText {
  return { allow: t('allowed'), ask: t('always asked about'), deny: t('denied') }[answer];
}

export function scopeText(scope: ApprovalRule['scope']): PlainText {
  return { chat: t('in one chat'), workspace: t('in this workspace'), user: t('everywhere') }[scope];
}
