import type { DetailNode } from '../../editor/servers/serverNodes';
import { outputProblem } from '../../host';
import type { ToolResults } from './resultDocument';

/** Opens the result of a task that has ended. After that its row is no longer needed. */
export async function openCallResult(results: ToolResults, argument: unknown): Promise<void> {
  const { call } = (argument ?? {}) as Partial<DetailNode>;
  if (!call?.end || !('result' in call.end)) return;
  const { server, tool, args, end } = call;
  const { result, ms } = end;
  await results.show({ server, tool, args, result, problem: outputProblem(tool, result), ms });
  call.dismiss();
}
