import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { Caller } from '../../host';

/** Who made a call. What others are called tells what they are too: they choose their names themselves. */
export function callerText({ origin, name = '' }: Caller): string {
  const shown = visible(name, 80);
  switch (origin) {
    case 'palette':
    case 'check':
    case 'trace':
      return t('You');
    case 'chat':
      return '@mcp';
    case 'gateway':
    case 'languageModelTool':
      return t('Chat');
    case 'app':
      return verbatim('{0} (app)', shown);
    case 'extension':
      return verbatim('{0} (extension)', shown);
    case 'agent':
      return verbatim('{0} (agent)', shown);
    default:
      return visible(origin, 80);
  }
}

/** The texts of the page, in the person's language. The page fills in `{0}`. */
export const viewTexts = () => ({
  table: t('Messages'),
  filter: t('Filter by text, including message bodies'),
  filterLabel: t('Filter messages by text'),
  servers: t('All servers'),
  serverLabel: t('Filter messages by server'),
  methods: t('All methods'),
  methodLabel: t('Filter messages by method'),
  errors: t('Errors'),
  errorsTip: t('Show only errors'),
  joined: t('Pair'),
  joinedTip: t('Show each request and its response as one row'),
  pings: t('Pings'),
  pingsTip: t('Show pings, which check whether an idle server still responds. Failed ones are always shown'),
  waterfall: t('Waterfall'),
  waterfallTip: t('Show when each message was in progress and what waited for what. Pauses are shortened'),
  follow: t('Follow the newest message'),
  pause: t('Pause'),
  resume: t('Resume'),
  clear: t('Clear'),
  export: t('Export as JSON Lines…'),
  time: t('Time'),
  direction: t('Direction'),
  server: t('Server'),
  kind: t('Kind'),
  method: t('Method'),
  status: t('Status'),
  duration: t('Duration'),
  size: t('Size'),
  timeline: t('Timeline'),
  partOf: t('part of {0}'),
  waited: t('waited {0} for {1}'),
  waits: t('waits for {0}'),
  requestCount: t('{0} requests'),
  notificationCount: t('{0} notifications'),
  oneNotification: t('1 notification'),
  sent: t('sent'),
  received: t('received'),
  request: t('request'),
  notification: t('notification'),
  answer: t('answer'),
  error: t('error'),
  batch: t('batch'),
  unreadable: t('unreadable'),
  ok: t('ok'),
  pending: t('pending'),
  cancelled: t('cancelled'),
  unsupported: t('not supported'),
  ended: t('server ended'),
  count: t('{0} messages'),
  oneMessage: t('1 message'),
  shown: t('{0} of {1} rows'),
  errorCount: t('{0} errors'),
  oneError: t('1 error'),
  about: t('What servers and the editor sent each other'),
  log: t('Show Log'),
  health: t('Show Server Health'),
  live: t('Live'),
  paused: t('Paused'),
  file: t('From a file'),
  off: t('Recording is off'),
  offLong: t('Messages are not recorded. A setting controls how many are kept.'),
  openSettings: t('Open Settings'),
  empty: t('No messages yet'),
  emptyLong: t('Messages between servers and the editor appear here as they are sent.'),
  noMatch: t('No matching messages'),
  noFilter: t('Clear the Filter'),
  details: t('Details of the message'),
  resize: t('Resize the details'),
  close: t('Close'),
  open: t('Open in an Editor'),
  copy: t('Copy'),
  curl: t('Copy as curl'),
  sdk: t('Copy as SDK Call'),
  send: t('Send Again…'),
  test: t('Record as Test…'),
  select: t('Select for Compare'),
  compare: t('Compare with Selected'),
  pin: t('Pin'),
  unpin: t('Unpin'),
  pinned: t('pinned'),
  remark: t('Add Note…'),
  changeRemark: t('Change Note…'),
  remarkLabel: t('Note: {0}'),
  tools: t('All tools'),
  toolLabel: t('Filter messages by tool'),
  callers: t('All callers'),
  callerLabel: t('Filter messages by caller'),
  caller: t('Caller: {0}'),
  cut: t('There is more. Open it in an editor.'),
  waiting: t('Not answered yet'),
  unanswered: t('Not answered'),
  serverEnded: t('Not answered: the server has ended'),
});

export type ViewTexts = ReturnType<typeof viewTexts>;
