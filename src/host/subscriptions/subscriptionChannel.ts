import type { Client } from '@modelcontextprotocol/client';
import type { ServerInfo } from '../sdk/serverInfo';
import { ChangeStream } from './changeStream';
import { type SubscribeRequestSource, SubscribeRequests } from './subscribeRequests';
import type { ReportState, SubscriptionChannel } from './subscriptions';

/**
 * How resources of a connected server are followed: over one stream in the modern era, which also announces changed lists;
 * by requests in the legacy era. Undefined if the server has no subscriptions.
 */
export function openChannel(
  source: SubscribeRequestSource,
  client: Client,
  info: ServerInfo,
  log: (message: string) => void,
): ((report: ReportState) => SubscriptionChannel) | undefined {
  if (info.era === 'modern') return report => new ChangeStream(client, info, { report, log });
  if (!info.capabilities.resources?.subscribe) return undefined;
  return report => new SubscribeRequests(source, report, log);
}
