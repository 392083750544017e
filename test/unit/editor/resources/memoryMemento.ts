/** A memento of VS Code that keeps everything in memory, as JSON as the editor does. */
export class MemoryMemento {
  readonly #values = new Map<string, string>();

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  get<T>(key: string): T | undefined;
  get<T>(key: string, fallback: T): T;
  get<T>(key: string, fallback?: T): T | undefined {
    const value = this.#values.get(key);
    return value === undefined ? fallback : (JSON.parse(value) as T);
  }

  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, JSON.stringify(value));
  }
}
