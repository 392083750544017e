// The servers of `npm run compat -- frameworks`: the smallest valid one that each README documents, at pinned versions, and what
// an author has to know. Sources are in `frameworks/`.

/** One server. Programs of packages are named from the folder `node_modules`. */
export interface FrameworkServer {
  readonly name: string;
  /** Of npm, pinned. The version in the table is that of the first. */
  readonly packages: readonly string[];
  /** What is written into the folder of the packages, as files of `frameworks/`. */
  readonly files?: readonly string[];
  /** A script of these that is run once, after the installation. */
  readonly prepare?: string;
  /** The program and its arguments; `$PORT` is a free port, and `$UP` the address of the server that stands behind. */
  readonly command: readonly string[];
  /** Where it listens, such as `/mcp`; absent: it speaks over stdio. */
  readonly path?: string;
  /** A server that is started first, over HTTP, for a bridge. */
  readonly behind?: { readonly command: readonly string[]; readonly path: string };
  /** How many tools, prompts and resources it offers. Absent: those of the example, two, one and one. */
  readonly offers?: readonly [tools: number, prompts: number, resources: number];
  /** A tool that can be called without an account. Absent: `echo` of the example, and `slow` is cancelled. */
  readonly call?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  /** A tool that sends its text, as `echo` does, before its result: for MCP Host, it has to be in that. */
  readonly streams?: string;
  /** It works on one request at a time, so nothing is cancelled. */
  readonly isSequential?: true;
  /** What an author has to know; may have markdown. */
  readonly know: readonly string[];
}

const NODE = 'node';
const SDK_1 = '@modelcontextprotocol/sdk@1.32.2';
const ZOD = 'zod@4.6.7';
const HONO = ['hono@4.13.19', '@hono/node-server@2.1.9'];

export const FRAMEWORKS: readonly FrameworkServer[] = [
  {
    name: 'SDK 1',
    packages: [SDK_1, ZOD],
    files: ['sdk1.mjs', 'sdk1Server.mjs'],
    command: [NODE, 'sdk1.mjs'],
    know: [
      'A `z.discriminatedUnion` or `.transform()` as the whole input is listed as an object without members, so models see no arguments.',
      'One `z.date()`, `z.bigint()` or `z.map()` makes the server answer the request for its tools with an error.',
    ],
  },
  {
    name: 'SDK 2',
    packages: ['@modelcontextprotocol/server@2.4.0', ZOD],
    files: ['sdk2.mjs'],
    command: [NODE, 'sdk2.mjs'],
    know: [
      'One `z.date()` makes the server answer the request for its tools with an error, as with SDK 1.',
      'Values of a resource template reach the server percent-encoded, and an address that lacks one of its query is not found. SDK 1 does the same.',
    ],
  },
  {
    name: 'fastmcp',
    packages: ['fastmcp@4.20.16', ZOD],
    files: ['fastmcp.mjs'],
    command: [NODE, 'fastmcp.mjs'],
    offers: [3, 1, 1],
    streams: 'stream',
    know: [
      'Records, passthrough and catchall arguments are listed with `additionalProperties: false`, which forbids any members. MCP Host sends them anyway. Clients that follow the schema refuse the call.',
      '`streamContent` sends a notification that MCP does not define, and the result is then empty. MCP Host adds the content to the result if one call of the tool is running. If several are running, the content is in the log.',
    ],
  },
  {
    name: 'mcp-framework',
    packages: ['mcp-framework@0.2.22', 'zod@3.25.76'],
    files: ['mcpFramework.mjs'],
    command: [NODE, 'mcpFramework.mjs'],
    know: [
      'It needs zod 3. With zod 4, the default today, every tool is listed with the arguments `def` and `type`.',
      'Unions and records are listed as `string`. If a model gives an object, MCP Host asks it to correct the call once, and sends the object the second time.',
    ],
  },
  {
    name: 'xmcp',
    packages: ['xmcp@1.1.3', '@xmcp-dev/compiler@1.1.3', ZOD],
    files: ['xmcpBuild.mjs'],
    prepare: 'xmcpBuild.mjs',
    command: [NODE, 'dist/stdio.js'],
    offers: [1, 0, 0],
    call: { tool: 'echo', args: { text: 'hello', nodes: [{ name: 'a', children: [] }] } },
    know: [
      'Each argument has a schema of its own, and references are relative to that schema. Clients that resolve references from the root refuse the tool.',
    ],
  },
  {
    name: 'mcp-lite',
    packages: ['mcp-lite@0.10.0', ...HONO, ZOD],
    files: ['mcpLite.mjs'],
    command: [NODE, 'mcpLite.mjs'],
    path: '/mcp',
    know: [
      'It offers 2025-03-26 to newer clients, and then refuses the event stream for that version, so its notifications do not arrive.',
      'Only `error.data` gives the reason of an error.',
    ],
  },
  {
    name: 'tmcp',
    packages: ['tmcp@1.20.0', '@tmcp/adapter-valibot@0.1.6', '@tmcp/transport-stdio@0.5.0', 'valibot@1.5.0'],
    files: ['tmcp.mjs'],
    command: [NODE, 'tmcp.mjs'],
    know: [
      'A tool that asks the person has to be marked `replayable` for clients of 2026-07-28. In MCP Host it also works without the mark, once the server was restarted after the first refusal.',
    ],
  },
  {
    name: '@hono/mcp',
    packages: ['@hono/mcp@0.3.2', SDK_1, ...HONO, ZOD],
    files: ['honoMcp.mjs', 'sdk1Server.mjs'],
    command: [NODE, 'honoMcp.mjs'],
    path: '/mcp',
    know: ['One server with one transport, as documented, serves one client. Create both for each session.'],
  },
  {
    name: 'mcp-handler',
    packages: ['mcp-handler@2.4.0', ...HONO, ZOD],
    files: ['mcpHandler.mjs'],
    command: [NODE, 'mcpHandler.mjs'],
    path: '/mcp',
    know: [
      '`elicitInput` fails for clients of 2026-07-28. In MCP Host it works once the server was restarted after the first refusal.',
    ],
  },
  {
    name: '@rekog/mcp-nest',
    packages: [
      '@rekog/mcp-nest@2.0.5',
      ...['@nestjs/common@12.5.1', '@nestjs/core@12.5.1', '@nestjs/microservices@12.1.1'],
      ...['@nestjs/platform-express@12.5.1', 'reflect-metadata@0.2.2', 'rxjs@7.8.2', ZOD],
    ],
    files: ['mcpNest.mjs'],
    command: [NODE, 'mcpNest.mjs'],
    path: '/mcp',
    offers: [2, 0, 0],
    know: ['Nest replaces the message of an error that a tool throws by "Internal server error".'],
  },
  {
    name: '@zuplo/mcp',
    packages: ['@zuplo/mcp@0.0.32', '@hono/node-server@2.1.9', 'hono@4.13.19', ZOD],
    files: ['zuploMcp.mjs'],
    command: [NODE, 'zuploMcp.mjs'],
    path: '/mcp',
    offers: [2, 0, 0],
    know: [
      'It answers GET with 200 and JSON that never ends, so its notifications do not arrive.',
      'Arguments with a default are listed as required.',
    ],
  },
  {
    name: 'mcp-use',
    packages: ['mcp-use@2.5.2', ZOD],
    files: ['mcpUse.mjs'],
    command: [NODE, 'mcpUse.mjs'],
    path: '/mcp',
    offers: [2, 0, 0],
    know: [
      'It answers GET and DELETE with 204, where the specification asks for 405.',
      '`binary` sends the bytes of a resource as text. MCP Host takes them as the file that their type says.',
    ],
  },
  {
    name: '@mastra/mcp',
    packages: ['@mastra/mcp@2.0.0', '@mastra/core@1.71.0', ZOD],
    files: ['mastra.mjs'],
    command: [NODE, 'mastra.mjs'],
    offers: [2, 0, 0],
    know: ['By default it refuses clients older than 2026-07-28, although its reference says that it accepts them.'],
  },
  {
    name: '@genkit-ai/mcp',
    packages: ['@genkit-ai/mcp@1.42.0', 'genkit@1.42.0'],
    files: ['genkit.mjs'],
    command: [NODE, 'genkit.mjs'],
    know: [
      'MCP Host leaves out a tool whose input is not an object. The SDK refuses the whole list because of such a tool.',
      'Its error codes are HTTP status codes.',
    ],
  },
  {
    name: '@sylphx/mcp-server-sdk',
    packages: ['@sylphx/mcp-server-sdk@2.1.1'],
    files: ['sylphx.mjs'],
    command: [NODE, 'sylphx.mjs'],
    offers: [2, 0, 0],
    isSequential: true,
    know: [
      'It handles one request at a time. A call that does not end blocks all others, and can’t be cancelled.',
      'It always speaks 2025-03-26, whichever version the client asks for.',
    ],
  },
  {
    name: 'supergateway',
    packages: ['supergateway@4.0.0', SDK_1, ZOD],
    files: ['sdk1.mjs', 'sdk1Server.mjs'],
    command: [
      ...[NODE, 'node_modules/supergateway/dist/index.js', '--stdio', 'node sdk1.mjs', '--port', '$PORT'],
      ...['--outputTransport', 'streamableHttp'],
    ],
    path: '/mcp',
    know: [
      'Without `--stateful`, each request starts a program, and servers can’t ask the client for anything. With it, all notifications come on the stream of the oldest unanswered request, which MCP Host keeps open after a call is cancelled.',
    ],
  },
  {
    name: 'mcp-proxy',
    packages: ['mcp-proxy@6.7.19', SDK_1, ZOD],
    files: ['sdk1.mjs', 'sdk1Server.mjs'],
    command: [NODE, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs', '--port', '$PORT', '--', NODE, 'sdk1.mjs'],
    path: '/mcp',
    know: [
      'All clients share one program, which is not started again after it ends. Requests from the server to the client are not forwarded.',
    ],
  },
  {
    name: 'mcp-remote',
    packages: ['mcp-remote@0.15.1', '@hono/mcp@0.3.2', SDK_1, ...HONO, ZOD],
    files: ['honoEach.mjs', 'sdk1Server.mjs'],
    behind: { command: [NODE, 'honoEach.mjs'], path: '/mcp' },
    command: [NODE, 'node_modules/mcp-remote/dist/proxy.js', '$UP', '--allow-http'],
    know: ['It can’t connect to servers that speak 2026-07-28 only. MCP Host can, if its entry has the URL itself.'],
  },
  {
    name: 'Go: kubernetes-mcp-server',
    packages: ['kubernetes-mcp-server-linux-amd64@0.0.67'],
    files: ['kubeconfig.yaml'],
    command: [
      'node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64',
      ...['--kubeconfig', 'kubeconfig.yaml'],
    ],
    offers: [20, 1, 0],
    call: { tool: 'configuration_view', args: {} },
    know: ['Official Go SDK 1.7 and 1.8: after `server/discover`, the same process refuses `initialize`.'],
  },
  {
    name: 'Go: mcp-cron',
    packages: ['mcp-cron-linux-amd64@0.9.1'],
    command: ['node_modules/mcp-cron-linux-amd64/bin/mcp-cron', '--transport', 'stdio'],
    offers: [12, 0, 0],
    call: { tool: 'list_tasks', args: {} },
    know: [
      'Official Go SDK 1.4: errors during the handshake have the code 0. The process goes on after its input has ended, so MCP Host ends it.',
    ],
  },
  {
    name: 'Rust: cortex-mcp',
    packages: ['@temporal-cortex/cortex-mcp-linux-x64@0.9.1'],
    command: ['node_modules/@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp'],
    offers: [18, 5, 3],
    call: { tool: 'get_temporal_context', args: {} },
    know: [
      'rmcp 0.16 to 2.2 exit if the first request is not `initialize`. MCP Host starts such a server again, and remembers this for the next time.',
    ],
  },
  {
    name: 'Rust: onshape-mcp',
    packages: ['@onshape-mcp/linux-x64@0.5.2'],
    command: ['node_modules/@onshape-mcp/linux-x64/bin/onshape-mcp'],
    offers: [11, 0, 11],
    call: { tool: 'onshape_mcp_get_started', args: {} },
    know: ['rmcp 2.2, as above.'],
  },
  {
    name: 'Rust: leanspec',
    packages: ['@leanspec/mcp-linux-x64@0.3.0'],
    command: ['node_modules/@leanspec/mcp-linux-x64/leanspec-mcp'],
    offers: [11, 0, 0],
    call: { tool: 'get_capabilities', args: {} },
    know: ['Its own implementation does not support `ping`. MCP Host counts the error as an answer.'],
  },
  {
    name: '.NET: Azure MCP',
    packages: ['@azure/mcp-linux-x64@2.0.5'],
    command: ['node_modules/@azure/mcp-linux-x64/dist/azmcp', 'server', 'start'],
    offers: [61, 0, 0],
    call: { tool: 'get_azure_bestpractices', args: { intent: 'learn', learn: true } },
    know: ['Official C# SDK 1.0.'],
  },
  {
    name: '.NET: Fabric MCP',
    packages: ['@microsoft/fabric-mcp-linux-x64@1.4.0'],
    command: ['node_modules/@microsoft/fabric-mcp-linux-x64/dist/fabmcp', 'server', 'start'],
    offers: [0, 0, 0],
    know: ['Official C# SDK 2.1: over HTTP, it sends errors in an event stream with the status 404.'],
  },
];
