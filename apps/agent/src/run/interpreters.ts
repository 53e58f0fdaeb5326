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

/** PowerShell runs commands best from a file: quoting and exit codes then work as in a console. */
export function planPowershell(text: string): ScriptCall {
  const program = requireProgram(
    'PowerShell',
    ...(process.platform === 'win32' ? ['powershell', 'pwsh'] : ['pwsh']),
  )
  // Windows PowerShell reads a file without this mark in the local code page.
  const mark = basename(program).toLowerCase() === 'powershell.exe' ? '\uFEFF' : ''
  const policy = process.platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : []
  return withProgram({ fileName: 'script.ps1', body: mark + withoutMark(text) }, program, [
    '-NoProfile',
    '-NonInteractive',
    ...policy,
    '-File',
  ])
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
