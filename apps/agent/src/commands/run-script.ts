import type { CommandInput } from '@muster/contract/agent/commands'
import { planScript } from '../run/interpreters.ts'
import type { ProcessPlan } from '../run/run-process.ts'
import { writeScriptFile } from '../run/script-file.ts'
import { defineCommand, type CommandContext } from './command.ts'
import { planSurroundings } from './plan-surroundings.ts'

export const runScript = defineCommand('run-script', {
  isRun: true,
  take(input, context) {
    const { payload, runs } = context
    if (payload.history_id === null) return
    runs.accept({
      historyId: payload.history_id,
      nonce: payload.nonce,
      timeoutSeconds: input.timeout_seconds,
      outputCapBytes: input.output_cap_bytes,
      secrets: input.secrets,
      prepare: () => prepare(input, context),
    })
  },
})

async function prepare(
  input: CommandInput<'run-script'>,
  context: CommandContext,
): Promise<Disposable & { plan: ProcessPlan }> {
  const surroundings = await planSurroundings(input, context.os)
  const script = planScript(input.interpreter, input.body)
  const file = writeScriptFile({
    dataFolder: context.dataFolder,
    name: script.fileName,
    body: script.body,
    user: surroundings.user,
  })
  const [program, ...args] = script.command(file.path)
  return {
    plan: { ...surroundings, program, args: [...args, ...input.args] },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}
