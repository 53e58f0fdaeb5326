import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const MAIN = join(import.meta.dirname, '../main.ts')
/** Compiled once for all tests. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/compiled')

export interface ProcessOutput {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the agent program until it exits. */
export async function runProgram(...args: string[]): Promise<ProcessOutput> {
  const program = startProgram(...args)
  return program.ended
}

export interface Program {
  child: ChildProcess
  ended: Promise<ProcessOutput>
  stderr: () => string
}

/** Starts the agent program, which is killed after the test. */
export function startProgram(...args: string[]): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = new Promise<ProcessOutput>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, stderr: () => stderr }
}

/** Memory of a process in MB. */
export function residentMb(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
