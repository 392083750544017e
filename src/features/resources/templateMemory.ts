import { Emitter, Owner } from '../../base/events';
import type { PlainState } from '../../editor/storage';
import type { ServerId } from '../../host/definition';

/** A resource that was opened through a template. */
export interface RecentResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

/** The memory of one template of one server. */
interface RememberedTemplate {
  readonly server: ServerId;
  /** The `uriTemplate`. */
  readonly template: string;
  /** The values entered last, by variable. */
  readonly values: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly recent: readonly RecentResource[];
}

const KEY = 'resources.templates';
const MAX_TEMPLATES = 100;
const MAX_RECENT = 10;
/** A longer value is not remembered. */
const MAX_VALUE_LENGTH = 1_000;

/** The only owner of the values filled into templates and of the resources opened with them, kept for the workspace. */
export class TemplateMemory extends Owner {
  readonly #changed = this.own(new Emitter<ServerId>());
  /** Fires with the server whose recent resources changed. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly memento: PlainState) {
    super();
  }

  values(server: ServerId, template: string): Readonly<Record<string, string>> {
    return this.#find(server, template)?.values ?? {};
  }

  recent(server: ServerId, template: string): readonly RecentResource[] {
    return this.#find(server, template)?.recent ?? [];
  }

  /** Puts the resource first among the recent ones, and the template first among those that are kept. */
  async remember(
    server: ServerId,
    template: string,
    typed: Readonly<Record<string, string>>,
    resource: RecentResource,
  ): Promise<void> {
    const values = Object.fromEntries(Object.entries(typed).filter(([, value]) => value.length <= MAX_VALUE_LENGTH));
    const others = this.recent(server, template).filter(({ uri }) => uri !== resource.uri);
    await this.#replace({ server, template, values, recent: [resource, ...others].slice(0, MAX_RECENT) });
  }

  #find(server: ServerId, template: string): RememberedTemplate | undefined {
    return this.#all.find(one => one.server === server && one.template === template);
  }

  async #replace(next: RememberedTemplate): Promise<void> {
    const { server, template } = next;
    const others = this.#all.filter(one => one.server !== server || one.template !== template);
    const saved = this.memento.update(KEY, [next, ...others].slice(0, MAX_TEMPLATES));
    this.#changed.fire(server);
    await saved;
  }

  get #all(): readonly RememberedTemplate[] {
    return this.memento.get<readonly RememberedTemplate[]>(KEY, []);
  }
}
