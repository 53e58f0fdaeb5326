import type { Interpreter } from '@muster/contract/agent/shells'
import { withoutMark } from '@muster/rules/text/byte-order-mark'
import type { z } from 'zod'
import { basename } from 'node:path'
import { findProgram } from './find-program.ts'
import { RunError } from '../errors.ts'
import type { ProcessPlan } from './run-process.ts'

type InterpreterName = z.infer<typeof Interpreter>

export interface ScriptCall {
  /** Name of the script file; several interpreters check its extension. */
  fileName: string
  body: string
  /** A file that the script loads from its own folder. */
  module?: { name: string; body: string }
  /** Runs the file with these arguments. */
  plan: (path: string, args: readonly string[]) => ProgramCall
}

export type ProgramCall = Pick<ProcessPlan, 'program' | 'args' | 'verbatimArguments'>

/** Returns how a script body is run. Throws RunError if its interpreter is not installed. */
export function planScript(interpreter: InterpreterName, text: string): ScriptCall {
  const body = withoutMark(text)
  switch (interpreter) {
    case 'shell':
      return planShellScript(body)
    case 'python':
      return withProgram({ fileName: 'script.py', body }, requireProgram('Python', 'python3', 'python', 'py'))
    case 'powershell':
      return planPowershell(body)
    case 'node':
      return planNode(body)
    case 'cmd':
      return planCmd(body)
    case 'nushell':
      return withProgram({ fileName: 'script.nu', body }, requireProgram('Nushell', 'nu'))
    case 'deno':
      return withProgram({ fileName: 'script.ts', body }, requireProgram('Deno', 'deno'), [
        'run',
        '--allow-all',
      ])
  }
}

/**
 * PowerShell on Windows prints in the code page of its console, and pipes text into programs as ASCII. `chcp 65001` is
 * no cure: it changes the input too, with a byte order mark that Start-Job fails on.
 */
export const SET_UTF8 =
  'try { $global:OutputEncoding = New-Object System.Text.UTF8Encoding $false; ' +
  '[Console]::OutputEncoding = $global:OutputEncoding } catch { }'

/** `using module` may stand before `param` and `#Requires`, and leaves exit codes and errors to the script. */
const UTF8_MODULE = { name: 'muster-utf8.psm1', body: `${SET_UTF8}\r\nExport-ModuleMember\r\n` }
// Only a path with a backslash is relative to the folder of the script.
const LOAD_UTF8 = `using module '.\\${UTF8_MODULE.name}'; `

/** PowerShell runs commands best from a file: quoting and exit codes then work as in a console. */
export function planPowershell(text: string, platform: NodeJS.Platform = process.platform): ScriptCall {
  const isWindows = platform === 'win32'
  const program = requireProgram('PowerShell', ...(isWindows ? ['powershell', 'pwsh'] : ['pwsh']))
  // Windows PowerShell reads a file without this mark in the local code page.
  const mark = /^powershell(\.exe)?$/i.test(basename(program)) ? '\uFEFF' : ''
  const policy = isWindows ? ['-ExecutionPolicy', 'Bypass'] : []
  const body = withoutMark(text)
  return {
    ...withProgram(
      // On the first line, so that errors name the lines of the script.
      { fileName: 'script.ps1', body: mark + (isWindows ? LOAD_UTF8 : '') + body },
      program,
      ['-NoProfile', '-NonInteractive', ...policy, '-File'],
    ),
    ...(isWindows ? { module: UTF8_MODULE } : {}),
  }
}

function planShellScript(body: string): ScriptCall {
  // Shells fail on CRLF line ends.
  const script = { fileName: 'script.sh', body: body.replaceAll('\r\n', '\n') }
  const named = /^#![ \t]*(\S+)[ \t]*([^\n]*)/.exec(script.body)
  if (named?.[1] !== undefined) {
    const program = findProgram(named[1])
    if (program === undefined)
      throw new RunError(`The script needs ${named[1]}, which is not installed on this machine.`)
    // As in the kernel: everything after the program is one argument.
    const rest = named[2]?.trim() ?? ''
    return withProgram(script, program, rest === '' ? [] : [rest])
  }
  return withProgram(script, requireProgram('shell', '/bin/bash', 'bash', '/bin/sh', 'sh'))
}

function planNode(body: string): ScriptCall {
  // The agent brings its own Node. `.js` supports both module types.
  const own = /[\\/]node(\.exe)?$/.test(process.execPath) ? process.execPath : undefined
  return withProgram({ fileName: 'script.js', body }, own ?? requireProgram('Node', 'node'))
}

function planCmd(body: string): ScriptCall {
  if (process.platform !== 'win32') throw new RunError('cmd scripts can only run on Windows.')
  return {
    fileName: 'script.cmd',
    body: body.replaceAll(/\r?\n/g, '\r\n'),
    plan: (path, args) => callCmd([path, ...args].map((text) => `"${text.replaceAll('"', '""')}"`).join(' ')),
  }
}

/** A command line for cmd, as typed. */
export function callCmd(line: string): ProgramCall {
  return {
    program: process.env.ComSpec ?? 'cmd.exe',
    // /s: everything between the outer quotes is the command. Code page 65001: its output is UTF-8.
    args: ['/d', '/q', '/s', '/c', `"chcp 65001>nul & ${line}"`],
    verbatimArguments: true,
  }
}

function withProgram(
  script: { fileName: string; body: string },
  program: string,
  before: string[] = [],
): ScriptCall {
  return { ...script, plan: (path, args) => ({ program, args: [...before, path, ...args] }) }
}

function requireProgram(title: string, ...names: string[]): string {
  const program = findProgram(...names)
  if (program === undefined) throw new RunError(`${title} is not installed on this machine.`)
  return program
}
