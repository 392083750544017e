import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import vscode = require('vscode');

import { formatDuration } from '../../base/numberText';
import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ServerSet } from '../../host';
import { DEFAULT_LIMITS, runScript, type ScriptEnd } from '../codeMode/core';
import { NOT_CALLED, textOfParts } from '../languageModel';
import type { ResultStore } from '../tools';
import { sayFiles, sayLine } from './answerLines';
import type { CallLane } from './callLane';
import { resolvedTo, scriptText } from './core/scriptText';
import type { TurnTools } from './core/turnTools';

/** A script is stopped after this many denials: the person does not want its calls. */
const MAX_DENIED = 3;
const MAX_PROBLEM = 300;

interface FinishedScript {
  /** For the model: what it printed, and why it failed if it did. */
  readonly text: string;
  readonly failed: boolean;
}

interface ScriptContext {
  readonly tools: TurnTools;
  readonly lane: Pick<CallLane, 'add' | 'outcomes'>;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
}

/** Runs scripts of models. They reach nothing but the tools of the turn, each call through `lane`. */
export class Scripts {
  constructor(
    private readonly servers: Pick<ServerSet, 'all'>,
    private readonly results: Pick<ResultStore, 'addText'>,
    private readonly extensionPath: string,
  ) {}

  /** Shows the script, runs it, and shows how it ended. Never rejects. */
  async run(said: unknown, { tools, lane, stream, signal }: ScriptContext): Promise<FinishedScript> {
    const script = scriptOf(said);
    if (script === '') return { text: `${NOT_CALLED} the script is empty.`, failed: true };
    const lines = script.split('\n').length;
    sayLine(stream, { icon: 'code', title: t('Script'), parts: [lines === 1 ? t('1 line') : t('{0} lines', lines)] });
    sayFiles(stream, [this.results.addText('script.js', script)]);
    const refused = new AbortController();
    const started = performance.now();
    const ended = await runScript({
      script,
      limits: DEFAULT_LIMITS,
      program: join(this.extensionPath, 'dist', 'script-worker.js'),
      signal: AbortSignal.any([signal, refused.signal]),
      call: async (name, input) => {
        const tool = tools.toolOf(name);
        if (!tool) throw new Error(`${NOT_CALLED} ${tools.missing(name)}`);
        const outcome = await lane.add(new vscode.LanguageModelToolCallPart(randomUUID(), tool.name, input));
        if (lane.outcomes.filter(one => one.isDenied).length >= MAX_DENIED)
          refused.abort(`${MAX_DENIED} of its calls were denied`);
        if (outcome.loops) refused.abort('it kept making the same call');
        if (!outcome.result || outcome.result.isError) throw new Error(textOfParts(outcome.parts));
        return JSON.stringify(resolvedTo(outcome.result));
      },
    });
    const text = this.#redacted(scriptText(ended, refused.signal.reason as string | undefined));
    this.#sayEnd(ended, lane.outcomes.length, performance.now() - started, stream);
    return { text, failed: ended.problem !== undefined };
  }

  /** All servers share one list of secrets. */
  #redacted(text: string): string {
    return this.servers.all[0]?.redactForProgram(text) ?? text;
  }

  #sayEnd({ problem, output }: ScriptEnd, calls: number, ms: number, stream: vscode.ChatResponseStream): void {
    const parts = [calls === 1 ? t('1 call') : t('{0} calls', calls), formatDuration(ms)];
    if (problem?.kind === 'stopped') parts.unshift(t('stopped'));
    else if (problem) {
      const message = visible(this.#redacted(problem.message), MAX_PROBLEM);
      parts.unshift(
        problem.line === undefined
          ? verbatim('failed: {0}', message)
          : verbatim('failed in line {0}: {1}', problem.line, message),
      );
    }
    sayLine(stream, { icon: problem ? 'error' : 'check', title: t('Script'), parts });
    sayFiles(stream, output === '' ? [] : [this.results.addText('script output.txt', this.#redacted(output))]);
  }
}

/** Some models wrap the script in a code block. */
function scriptOf(said: unknown): string {
  if (typeof said !== 'string') return '';
  const [, inner] = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(said) ?? [];
  return (inner ?? said).replaceAll('\r\n', '\n').trimEnd();
}
