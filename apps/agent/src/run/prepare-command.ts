import type { CommandInput } from '@muster/contract/agent/commands'
import { planSurroundings } from '../requests/plan-surroundings.ts'
import { findProgram } from './find-program.ts'
import { planPowershell } from './interpreters.ts'
import type { PreparedRun, RunPlace } from './prepare-script.ts'
import type { ProcessPlan } from './run-process.ts'
import { RunRefused } from './run-refused.ts'
import { writeScriptFile } from './script-file.ts'

type CommandLine = Pick<
  CommandInput<'run-command'>,
  'shell' | 'custom_shell' | 'cmd' | 'env_vars' | 'run_as_user'
>

/** Linux accepts at most 128 KiB per argument. Longer commands are written to a file. */
const MAX_ARGUMENT_BYTES = 120_000
const NO_FILES: Disposable = { [Symbol.dispose]() {} }

/** Returns how a command line is run. Disposal removes the file of a long one. */
export async function prepareCommand(input: CommandLine, place: RunPlace): Promise<PreparedRun> {
  const surroundings = await planSurroundings(input, place.os)
  const inFile = (name: string, body: string, command: (path: string) => [string, ...string[]]) => {
    const file = writeScriptFile({ dataFolder: place.dataFolder, name, body, user: surroundings.user })
    const [program, ...args] = command(file.path)
    return { plan: { ...surroundings, program, args }, [Symbol.dispose]: () => file[Symbol.dispose]() }
  }
  if (input.shell === 'powershell') {
    const script = planPowershell(input.cmd)
    return inFile(script.fileName, script.body, script.command)
  }
  if (input.shell === 'cmd') return { plan: { ...surroundings, ...planCmd(input.cmd) }, ...NO_FILES }
  const program = findShell(input)
  if (Buffer.byteLength(input.cmd) > MAX_ARGUMENT_BYTES)
    return inFile('command.sh', input.cmd, (path) => [program, path])
  return { plan: { ...surroundings, program, args: ['-c', input.cmd] }, ...NO_FILES }
}

function planCmd(cmd: string): Pick<ProcessPlan, 'program' | 'args' | 'verbatimArguments'> {
  if (process.platform !== 'win32')
    throw new RunRefused('cmd is a Windows shell. This machine has bash and sh.')
  // /s: everything between the outer quotes is the command, as typed.
  return {
    program: process.env.ComSpec ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${cmd}"`],
    verbatimArguments: true,
  }
}

function findShell({ shell, custom_shell }: CommandLine): string {
  if (shell === 'custom') {
    const wanted = custom_shell?.trim() ?? ''
    const program = wanted === '' ? undefined : findProgram(wanted)
    if (program === undefined) throw new RunRefused(`Program "${wanted}" was not found on this machine.`)
    return program
  }
  const program = shell === 'bash' ? findProgram('/bin/bash', 'bash') : findProgram('/bin/sh', 'sh')
  if (program === undefined) throw new RunRefused(`${shell} is not installed on this machine.`)
  return program
}
