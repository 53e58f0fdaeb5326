import type { ProcessTarget } from '@muster/contract/agent/processes'
import type { Context } from '../../../context.ts'
import { type Asking, askMachine } from '../../../fleet/ask-machine.ts'

interface EndWishes {
  force?: boolean | undefined
  tree?: boolean | undefined
}

/** Ends a process of a machine, by itself or with what it has started. */
export async function endMachineProcess(
  ctx: Context,
  asking: Asking,
  { pid, start, force = false, tree = false }: ProcessTarget & EndWishes,
): Promise<{ ended: number; left: number[] }> {
  const { ended, left } = await askMachine(ctx, asking, {
    name: 'end-process',
    input: { pid, start, force, tree },
    action: 'delete',
    object_type: 'process',
    describe: (answer) =>
      `${force ? 'Killed' : 'Ended'} ${call(pid, answer)}${tree ? ' and what it had started' : ''}`,
  })
  return { ended, left }
}

/** Makes a process of a machine more or less urgent. */
export async function changePriority(
  ctx: Context,
  asking: Asking,
  { pid, start, nice }: ProcessTarget & { nice: number },
): Promise<{ pid: number; nice: number }> {
  await askMachine(ctx, asking, {
    name: 'set-priority',
    input: { pid, start, nice },
    action: 'modify',
    object_type: 'process',
    describe: (answer) => `Changed the priority of ${call(pid, answer)} to ${nice}`,
  })
  return { pid, nice }
}

function call(pid: number, answer: { name: string } | undefined): string {
  return answer === undefined ? `process ${pid}` : `process ${pid} "${answer.name}"`
}
