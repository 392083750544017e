/**
 * A value that exists once in this process. Each compiled test carries its own copy of the modules that it imports, so
 * a module's variable exists once for each test file.
 */
export function processWide<T>(name: string, create: () => T): T {
  const key = Symbol.for(`mcp-host.test.${name}`);
  const values = globalThis as unknown as Record<symbol, T | undefined>;
  values[key] ??= create();
  return values[key];
}
