import type { RowMark, RowMarks } from '../../editor/serverRows';
import type { ServerConnection } from '../../host';
import type { PinState, Pins } from './core/pins';

/** The marks that pins put on the rows of a server. */
export class PinMarks implements RowMarks {
  constructor(
    private readonly pins: Pins,
    readonly onDidChange: RowMarks['onDidChange'],
  ) {}

  of(server: ServerConnection, node: Parameters<RowMarks['of']>[1]): RowMark | undefined {
    const isTool = node.kind === 'tools';
    return this.#mark(
      server,
      isTool ? this.pins.toolState(server, node.item) : this.pins.promptState(server, node.item),
    );
  }

  instructions(server: ServerConnection): RowMark | undefined {
    const isChanged = this.pins.changes(server).some(({ kind }) => kind === 'instructions');
    return this.#mark(server, isChanged ? 'changed' : 'accepted');
  }

  changes(server: ServerConnection): number {
    return this.pins.changes(server).length;
  }

  #mark({ definition }: ServerConnection, state: PinState): RowMark | undefined {
    const mode = this.pins.mode(definition);
    if (mode === 'off' || (state !== 'new' && state !== 'changed')) return undefined;
    return state === 'changed' && mode === 'enforce' ? 'blocked' : state;
  }
}
