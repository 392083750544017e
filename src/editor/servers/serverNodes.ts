import type * as vscode from 'vscode';
import type { CatalogItems, CatalogKind, RunningCall, ServerConnection } from '../../host';

export type MessageIcon = 'error' | 'lightbulb' | 'terminal' | 'warning';

/** A row of the Servers view. */
export type ServerNode =
  | { readonly type: 'server'; readonly server: ServerConnection }
  | { readonly type: 'list'; readonly server: ServerConnection; readonly kind: CatalogKind }
  | {
      /** Why something is not there, or what to do about it. */
      readonly type: 'message';
      readonly server: ServerConnection;
      readonly text: string;
      readonly icon: MessageIcon;
    }
  /** What the server says of its use, when that is not what was accepted. */
  | { readonly type: 'instructions'; readonly server: ServerConnection; readonly kind: 'instructions' }
  /** The rest of the resources, which is fetched when it is asked for. */
  | { readonly type: 'more'; readonly server: ServerConnection }
  | DetailNode
  | ItemNode;

/** A row of another bundle below a server: its roots, its running calls. It brings what is shown. */
export interface DetailNode {
  readonly type: 'detail';
  readonly server: ServerConnection;
  item(): vscode.TreeItem;
  children?(): readonly DetailNode[];
  /** What commands on it are about. */
  readonly call?: RunningCall;
}

/** One tool, prompt, resource or template of a server. */
export type ItemNode = {
  [K in CatalogKind]: {
    readonly type: 'item';
    readonly server: ServerConnection;
    readonly kind: K;
    readonly item: CatalogItems[K];
  };
}[CatalogKind];
