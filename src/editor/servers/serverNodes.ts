import type * as vscode from 'vscode';
import type { Remedy, RunningCall, ServerConnection } from '../../host';
import type { CatalogItems, CatalogKind } from '../../host/catalog';

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
      /** What a click shows. Default: the log. */
      readonly opens?: 'settings';
    }
  /** Something that can be done about a server that is not ready. */
  | { readonly type: 'remedy'; readonly server: ServerConnection; readonly remedy: Remedy }
  /** The server's instructions, if they are not what was accepted. */
  | { readonly type: 'instructions'; readonly server: ServerConnection; readonly kind: 'instructions' }
  /** The rest of the resources, which is fetched when it is asked for. */
  | { readonly type: 'more'; readonly server: ServerConnection }
  | DetailNode
  | ItemNode;

/** A row below a server that comes from another bundle, such as its roots or running calls. It brings its own tree item. */
export interface DetailNode {
  readonly type: 'detail';
  readonly server: ServerConnection;
  item(): vscode.TreeItem;
  children?(): readonly DetailNode[];
  /** The call that commands on the row act on. */
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
