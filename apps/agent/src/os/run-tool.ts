import { execFile } from 'node:child_process'
import { findProgram, searchPath } from '../run/find-program.ts'
import { describeMissing } from '../run/describe-missing.ts'
import { AgentError, MeasureError, NotMeasuredError } from '../errors.ts'
import { withStartUmask } from './umask.ts'

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

export interface ToolResult {
  /** Null if it was killed. */
  code: number | null
  stdout: string
  stderr: string
  timedOut: boolean
}

const LIMIT_MS = 20_000

/** Throws AgentError with the first line of a program that fails, and MeasureError if it does not exist. */
export async function runSystemTool(name: string, args: string[]): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS + 1000)
  const { code, stdout, stderr, timedOut } = await runTool(name, args, { signal, timeoutMs: LIMIT_MS })
  if (timedOut) throw new AgentError(`The system did not respond within ${LIMIT_MS / 1000} seconds.`)
  if (code !== 0)
    throw new AgentError(`The system refused: ${firstLine(stderr, stdout) || `${name} exited with ${code}`}`)
}

/**
 * Runs a system program. Any exit code is a result. The output is in English if the program supports that. Throws
 * MeasureError if the program does not exist.
 */
export async function runTool(
  name: string,
  args: string[],
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<ToolResult> {
  const program = findProgram(name)
  if (program === undefined) throw new NotMeasuredError(describeMissing(name))
  const { PATH: _, ...inherited } = process.env
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const settings = {
      encoding: 'utf8',
      env: { ...inherited, PATH: searchPath(), LC_ALL: 'C', LANG: 'C' },
      windowsHide: true,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      signal: options.signal,
      maxBuffer: MAX_OUTPUT_BYTES,
    } as const
    withStartUmask(() =>
      execFile(program, args, settings, (error, stdout, stderr) => {
        if (error === null) return resolve({ code: 0, stdout, stderr, timedOut: false })
        if (typeof error.code === 'number')
          return resolve({ code: error.code, stdout, stderr, timedOut: false })
        const timedOut = error.killed === true && performance.now() - started >= options.timeoutMs
        if (timedOut) return resolve({ code: null, stdout, stderr, timedOut })
        reject(new MeasureError(`Failed to run ${name}: ${error.message.split('\n', 1)[0] ?? ''}.`))
      }),
    )
  })
}

/** The first line that is not empty. */
export function firstLine(...texts: string[]): string {
  const lines = texts.flatMap((text) => text.split('\n'))
  return lines.find((line) => line.trim() !== '')?.trim() ?? ''
}
