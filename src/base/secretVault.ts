declare const isMade: unique symbol;

/** A key of the secret storage. Only `storageKey` makes one, of its parts, so that no two owners ever have one key. */
export type StorageKey = string & { readonly [isMade]: true };

export const storageKey = (kind: 'mcpHost.input' | 'mcpHost.auth', ...parts: readonly string[]): StorageKey =>
  `${kind} ${JSON.stringify(parts)}` as StorageKey;

interface SecretStorage {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}
type Thenable<T> = PromiseLike<T>;

/** The secret storage, which is read and written by keys that are made of parts. */
export class SecretVault {
  constructor(private readonly storage: SecretStorage) {}

  async get(key: StorageKey): Promise<string | undefined> {
    return this.storage.get(key);
  }

  /** @param value undefined removes it. */
  async set(key: StorageKey, value: string | undefined): Promise<void> {
    await (value === undefined ? this.storage.delete(key) : this.storage.store(key, value));
  }

  /** Gives a value of an earlier version its key. */
  async move(from: string, key: StorageKey): Promise<string | undefined> {
    const value = await this.storage.get(from);
    if (value === undefined || from === key) return value;
    await this.storage.store(key, value);
    await this.storage.delete(from);
    return value;
  }
}
