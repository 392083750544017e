import vscode = require('vscode');

import { visible } from '../../base/text';
import { momentText } from '../../editor/dialogs';
import { localized, remedyText, summaryText } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import { countedItem, type DetailNode, messageNode, treeItem } from '../../editor/serverRows';
import { t } from '../../editor/window';
import type { LazyList, ServerConnection } from '../../host';
import type { FollowedType, FollowState } from './core/eventFollow';
import type { EventType, EventTypeList } from './core/eventTypes';
import type { KeptEvent } from './core/keptEvents';

/** The row of a type of events, of one that is followed, or of one event; commands get it. */
export interface EventNode extends DetailNode {
  readonly eventType?: EventType;
  readonly followed?: FollowedType;
  readonly event?: KeptEvent;
}

/** The events that rows show. */
interface ShownEvents {
  typeList(): LazyList<EventTypeList> | undefined;
  followed(): readonly FollowedType[];
}

const { Expanded, None } = vscode.TreeItemCollapsibleState;
const DISABLED = new vscode.ThemeColor('disabledForeground');

/** The row "Events 3" of a server: below it the types, what is followed of each, and the events. */
export function eventsNode(server: ServerConnection, shown: ShownEvents): EventNode {
  const types = () => shown.typeList()?.list?.types ?? [];
  return {
    type: 'detail',
    server,
    item: () => {
      const known = shown.typeList();
      const following = shown.followed().filter(({ follow }) => follow.state.kind !== 'ended').length;
      const hasRows = types().length > 0 || shown.followed().length > 0 || messagesOf(known).length > 0;
      return countedItem(server, {
        kind: 'events',
        label: t('Events'),
        icon: 'pulse',
        tooltip: t('What this server can report as it happens. Nothing is followed until you ask for it.'),
        count: types().length,
        status: known?.status,
        note: following > 0 && t('{0} followed', following),
        hasRows,
      });
    },
    children: () => {
      const listed = new Set(types().map(({ name }) => name));
      const orphans = shown.followed().filter(({ type }) => !listed.has(type.name));
      return [
        ...messagesOf(shown.typeList()).map(text => messageNode(server, text)),
        ...types().map(type =>
          typeNode(server, type, () => shown.followed().filter(one => one.type.name === type.name)),
        ),
        ...orphans.map(followedNode),
      ];
    },
  };
}

function typeNode(server: ServerConnection, type: EventType, followed: () => readonly FollowedType[]): EventNode {
  return {
    type: 'detail',
    server,
    eventType: type,
    item: () => {
      const cannot = type.modes.length === 0 && t('only by webhook, which an editor cannot receive');
      const isFollowed = followed().length > 0;
      return treeItem(visible(type.name), {
        // The editor keeps a row folded that it has first seen folded.
        id: `${server.id}\nevents\n${type.name}${isFollowed ? '\nfollowed' : ''}`,
        collapsibleState: isFollowed ? Expanded : None,
        description: [cannot, visible(type.description ?? '', 160)].filter(Boolean).join(' · '),
        iconPath: new vscode.ThemeIcon('symbol-event', cannot ? DISABLED : undefined),
        contextValue: cannot ? 'eventType.webhook' : 'eventType',
        tooltip: plainTooltip([type.name, type.description]),
      });
    },
    children: () => followed().map(followedNode),
  };
}

function followedNode(followed: FollowedType): EventNode {
  const { server, type, args, follow } = followed;
  const argumentText = JSON.stringify(args);
  return {
    type: 'detail',
    server,
    followed,
    item: () => {
      const { events, state } = follow;
      const label = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const hasEvents = events.all.length > 0;
      return treeItem(label.length > 0 ? visible(label.join(', '), 100) : t('All {0}', visible(type.name, 80)), {
        id: `${server.id}\nevents\n${type.name}\n${argumentText}${hasEvents ? '\nevents' : ''}`,
        collapsibleState: hasEvents ? Expanded : None,
        description: [stateText(state), hasEvents && String(events.all.length + events.left.older)]
          .filter(Boolean)
          .join(' · '),
        iconPath: new vscode.ThemeIcon(...iconOf(state)),
        contextValue: `eventFollow.${state.kind === 'ended' ? 'ended' : 'live'}`,
        tooltip: plainTooltip([type.name, argumentText, stateText(state), ...leftOutOf(followed)]),
      });
    },
    children: () => [
      ...follow.events.all.map(event => eventNode(followed, event)),
      ...leftOutOf(followed).map(text => messageNode(server, text)),
    ],
  };
}

function eventNode(followed: FollowedType, event: KeptEvent): EventNode {
  const { server, type, args } = followed;
  const node: EventNode = {
    type: 'detail',
    server,
    followed,
    event,
    item: () =>
      treeItem(timeText(event), {
        id: `${server.id}\nevents\n${type.name}\n${JSON.stringify(args)}\n${event.id}`,
        description: visible(summaryOf(event), 160),
        iconPath: new vscode.ThemeIcon('circle-small-filled'),
        contextValue: 'event',
        tooltip: plainTooltip([type.name, event.timestamp, event.payload.slice(0, 2_000)]),
        command: { command: 'mcpHost.openResource', title: t('Open'), arguments: [node] },
      }),
  };
  return node;
}

/** Why types are missing: one sentence each. */
function messagesOf({ error, list }: Partial<LazyList<EventTypeList>> = {}): string[] {
  const rows: (string | undefined)[] = error ? [summaryText(error), remedyText(error)] : [];
  if (list && list.unusable > 0) rows.push(t('Entries of the list that cannot be used: {0}', list.unusable));
  if (list?.isCut) rows.push(t('More than {0} items are listed. The rest are not shown', list.types.length));
  return rows.filter(text => text !== undefined);
}

/** What is not among the events, and why: one sentence each. */
function leftOutOf({ follow: { events, gaps } }: FollowedType): string[] {
  return [
    events.left.older > 0 && t('Older events, no longer kept: {0}', events.left.older),
    events.left.flooded > 0 && t('Left out because they came too fast: {0}', events.left.flooded),
    events.left.unusable > 0 && t('Events that could not be read: {0}', events.left.unusable),
    gaps > 0 && t('Gaps that the server has reported: {0}', gaps),
  ].filter(text => text !== false);
}

function stateText(state: FollowState): string {
  switch (state.kind) {
    case 'connecting':
      return t('connecting…');
    case 'live':
      return state.mode === 'push' ? t('live') : t('polled');
    case 'retrying':
      return t('interrupted: {0}', visible(localized(state.reason), 200));
    case 'ended':
      return state.end.kind === 'server'
        ? t('ended with the server')
        : t('ended by the server: {0}', visible(localized(state.end.reason), 200));
  }
}

function iconOf({ kind }: FollowState): [string, vscode.ThemeColor?] {
  if (kind === 'connecting') return ['loading~spin'];
  if (kind === 'live') return ['broadcast', new vscode.ThemeColor('testing.iconPassed')];
  return kind === 'retrying' ? ['debug-disconnect', new vscode.ThemeColor('testing.iconQueued')] : ['circle-slash'];
}

/** When it happened, or arrived, if the server's time can't be read. */
function timeText({ timestamp, receivedAt }: KeptEvent): string {
  const said = Date.parse(timestamp);
  return momentText(Number.isNaN(said) ? receivedAt : said);
}

/** Its payload on one line. */
const summaryOf = ({ payload }: KeptEvent): string => payload.slice(0, 1_000).replace(/(?<!\s)\s*\n\s*/g, ' ');
