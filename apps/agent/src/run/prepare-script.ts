import type { CommandInput } from '@muster/contract/agent/commands'
import { planSurroundings } from '../requests/plan-surroundings.ts'
import type { Os } from '../os/os.ts'
import { planScript } from './interpreters.ts'
import type { ProcessPlan } from './run-process.ts'
import { writeScriptFile } from './script-file.ts'

type ScriptInput = Pick<
  CommandInput<'run-script'>,
  'interpreter' | 'body' | 'args' | 'env_vars' | 'run_as_user'
>

/** The folder for files of runs, and the system. */
export interface RunPlace {
  dataFolder: string
  os: Os
}
export interface PreparedRun extends Disposable {
  plan: ProcessPlan
  /** Returns the error message that the finished process left, if any. */
  why?: () => string | undefined
}

/** Writes the file of a script and returns how to run it. Disposal removes the file. */
export async function prepareScript(input: ScriptInput, { dataFolder, os }: RunPlace): Promise<PreparedRun> {
  const surroundings = await planSurroundings(input, os)
  const script = planScript(input.interpreter, input.body)
  const file = writeScriptFile({
    dataFolder,
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
