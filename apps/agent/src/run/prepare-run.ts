import { win32 } from 'node:path'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { Os } from '../os/os.ts'
import { RunError } from '../errors.ts'
import { planSurroundings } from './environment.ts'
import {
  callCmd,
  planPowershell,
  planScript,
  type ProgramCall,
  type ScriptCall,
  SET_UTF8,
} from './interpreters.ts'
import type { ProcessPlan } from './run-process.ts'
import { type RunFiles, type ScriptFile, writeScriptFile } from './script-file.ts'
import { findProgram } from './find-program.ts'

type ScriptInput = Pick<
  CommandInput<'run-script'>,
  'interpreter' | 'body' | 'args' | 'env_vars' | 'run_as_user'
>

/** The folder for files of runs, and the system. */
export interface RunContext {
  dataFolder: string
  os: Os
}
export interface PreparedRun extends Disposable {
  plan: ProcessPlan
  /** Returns the error message that the finished process left, if any. */
  why?: () => string | undefined
}

/** Writes the file of a script and returns how to run it. Disposal removes the file. */
export async function prepareScript(
  input: ScriptInput,
  { dataFolder, os }: RunContext,
): Promise<PreparedRun> {
  const surroundings = await planSurroundings(input, os)
  const script = planScript(input.interpreter, input.body)
  const file = await writeFile(filesOf(script), surroundings, { dataFolder, os })
  return {
    plan: { ...surroundings, ...script.plan(file.path, input.args) },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}

function filesOf({ fileName: name, body, module }: ScriptCall): RunFiles {
  return { name, body, module }
}

async function writeFile(
  content: RunFiles,
  { user, session }: Pick<ProcessPlan, 'user' | 'session'>,
  { dataFolder, os }: RunContext,
): Promise<ScriptFile> {
  const ownFolder = session === undefined ? undefined : await os.makeFolderFor?.(session)
  return writeScriptFile({ ...content, dataFolder, user, ownFolder })
}

type CommandLine = Pick<
  CommandInput<'run-command'>,
  'shell' | 'custom_shell' | 'cmd' | 'env_vars' | 'run_as_user'
>

/** Linux accepts at most 128 KiB per argument. Longer commands are written to a file. */
const MAX_ARGUMENT_BYTES = 120_000
const NO_FILES: Disposable = { [Symbol.dispose]() {} }

/** Returns how a command line is run. Disposal removes the file of a long one. */
export async function prepareCommand(input: CommandLine, context: RunContext): Promise<PreparedRun> {
  const surroundings = await planSurroundings(input, context.os)
  const inFile = async (files: RunFiles, call: (path: string) => ProgramCall) => {
    const file = await writeFile(files, surroundings, context)
    return { plan: { ...surroundings, ...call(file.path) }, [Symbol.dispose]: () => file[Symbol.dispose]() }
  }
  if (input.shell === 'powershell') {
    const script = planPowershell(input.cmd)
    return inFile(filesOf(script), (path) => script.plan(path, []))
  }
  if (input.shell === 'cmd') return { plan: { ...surroundings, ...planCmd(input.cmd) }, ...NO_FILES }
  const program = findShell(input)
  if (Buffer.byteLength(input.cmd) > MAX_ARGUMENT_BYTES)
    return inFile({ name: 'command.sh', body: input.cmd }, (path) => ({ program, args: [path] }))
  return { plan: { ...surroundings, ...planLine(program, input.cmd) }, ...NO_FILES }
}

function planCmd(cmd: string): ProgramCall {
  if (process.platform !== 'win32')
    throw new RunError('cmd is a Windows shell. This machine has bash and sh.')
  return callCmd(cmd)
}

/** Shells and Python take a line after `-c`. Node would only check its syntax, and Windows has other shells. */
export function planLine(program: string, line: string, platform = process.platform): ProgramCall {
  switch (
    win32
      .basename(program)
      .toLowerCase()
      .replace(/\.exe$/, '')
  ) {
    case 'node':
      return { program, args: ['-e', line] }
    case 'powershell':
    case 'pwsh':
      return { program, args: ['-NoProfile', '-NonInteractive', '-Command', withUtf8(line, platform)] }
    case 'cmd':
      return { ...callCmd(line), program }
    default:
      return { program, args: ['-c', line] }
  }
}

/** Nothing may stand before `using` and `param`. */
function withUtf8(line: string, platform: NodeJS.Platform): string {
  return platform === 'win32' && !/^\s*(using|param)\b/i.test(line) ? `${SET_UTF8}; ${line}` : line
}

function findShell({ shell, custom_shell }: CommandLine): string {
  if (shell === 'custom') {
    const wanted = custom_shell?.trim() ?? ''
    const program = wanted === '' ? undefined : findProgram(wanted)
    if (program === undefined) throw new RunError(`Program "${wanted}" was not found on this machine.`)
    return program
  }
  const program = shell === 'bash' ? findProgram('/bin/bash', 'bash') : findProgram('/bin/sh', 'sh')
  if (program === undefined) throw new RunError(`${shell} is not installed on this machine.`)
  return program
}
