import * as path from 'node:path';
import type * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { ScopedStorage, ServerMemory } from '../../editor/storage';
import type { ServerDefinition } from '../../host/definition';
import { type ApprovedSkills, keyOf, type SkillScope, type SkillStore } from './core/skillApprovals';

/** Keeps approvals of skills in the extension's own storage. */
export class SkillStorage extends ScopedStorage implements SkillStore {
  constructor(context: ConstructorParameters<typeof ScopedStorage>[0]) {
    super(context, 'mcpHost.skills');
  }

  get(scope: SkillScope): ApprovedSkills {
    const stored = this.stored(scope);
    return isObject(stored) ? (stored as ApprovedSkills) : {};
  }

  set(scope: SkillScope, approved: ApprovedSkills): Promise<void> {
    return this.keep(scope, approved);
  }
}

/**
 * Keeps what approved skills looked like, to show what has changed since. It is for the eyes of the person alone: what a model
 * gets is read from the server and verified.
 */
export class SeenSkills {
  readonly #memories: Record<SkillScope, ServerMemory>;

  constructor({ globalStorageUri, storageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri'>) {
    const memory = (folder: vscode.Uri) => new ServerMemory(path.join(folder.fsPath, 'skills'));
    const user = memory(globalStorageUri);
    this.#memories = { user, workspace: storageUri ? memory(storageUri) : user };
  }

  /** Its text; undefined if none is kept. */
  async read(server: ServerDefinition, uri: string): Promise<string | undefined> {
    const text = await this.#of(server).read(keyOf(server, uri));
    return typeof text === 'string' ? text : undefined;
  }

  write(server: ServerDefinition, uri: string, text: string | undefined): Promise<void> {
    return this.#of(server).write(keyOf(server, uri), text);
  }

  #of({ source }: ServerDefinition): ServerMemory {
    return this.#memories[source.scope === 'user' ? 'user' : 'workspace'];
  }
}
