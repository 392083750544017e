import { plain } from '../base/text';
import type { ServerConnection } from '../host';
import type { LogPort } from '../host/definition';
import { NoticeLimit } from './noticeLimit';
import { window } from './window';

/** Notifications caused by a server: without links, and limited for each. The rest go to its log. */
export class ServerNotices {
  readonly #limit = new NoticeLimit();

  constructor(private readonly log: LogPort) {}

  /** Resolves with the chosen action; undefined if none was chosen or the notification was not shown. */
  async show(
    level: 'Information' | 'Warning' | 'Error',
    { id, definition }: ServerConnection,
    message: string,
    ...actions: string[]
  ): Promise<string | undefined> {
    const close = this.#limit.open(id);
    if (!close) {
      this.log.log(definition, { source: 'lifecycle', level: 'warning', data: message });
      return undefined;
    }
    try {
      return await window[`show${level}Message`](plain(message), ...actions);
    } finally {
      close();
    }
  }
}
