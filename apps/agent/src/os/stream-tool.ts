import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { findProgram, searchPath } from '../run/find-program.ts'
import { describeMissing } from '../run/describe-missing.ts'
import { MeasureError, NotMeasuredError } from '../errors.ts'
import { withStartUmask } from './umask.ts'

const MAX_STDERR = 4000

export interface StreamEnd {
  /** Null if it was killed. */
  code: number | null
  stderr: string
}

interface StreamOptions {
  signal: AbortSignal
  timeoutMs: number
  /** UTF-8 by default. */
  encoding?: BufferEncoding
  /** Return `false` to stop the program. */
  onText: (text: string) => boolean
}

/**
 * Runs a system program whose output is too large to keep, piece by piece, until it exits, the time limit is over or
 * `onPiece` stops it. Throws MeasureError if the program does not exist.
 */
export function streamTool(name: string, args: string[], options: StreamOptions): Promise<StreamEnd> {
  const program = findProgram(name)
  if (program === undefined) throw new NotMeasuredError(describeMissing(name))
  const { PATH: _, ...inherited } = process.env
  const child = withStartUmask(() =>
    spawn(program, args, {
      env: { ...inherited, PATH: searchPath(), LC_ALL: 'C.UTF-8', LANG: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      killSignal: 'SIGKILL',
      signal: options.signal,
      timeout: options.timeoutMs,
    }),
  )
  const decoder = new StringDecoder(options.encoding ?? 'utf8')
  let stderr = ''
  let isWanted = true
  child.stdout.on('data', (bytes: Buffer) => {
    if (!isWanted || options.onText(decoder.write(bytes))) return
    isWanted = false
    child.kill('SIGKILL')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR)
  })
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new MeasureError(`Failed to run ${name}: ${error.message}.`)))
    child.on('close', (code) => {
      if (isWanted) options.onText(decoder.end())
      resolve({ code, stderr })
    })
  })
}

/**
 * Splits a stream of text at each `end`. A piece longer than `maxLength` is cut, so that a log writer cannot fill
 * the memory of its reader.
 */
export class TextPieces {
  #end: string
  #maxLength: number
  /** The current piece is too long. */
  #cut: string | undefined
  /** The current piece. If it is too long, only the possible start of its end is kept. */
  #rest = ''

  constructor(options: { end: string; maxLength: number }) {
    this.#end = options.end
    this.#maxLength = options.maxLength
  }

  take(text: string): string[] {
    const pieces = (this.#rest + text).split(this.#end)
    const rest = pieces.pop() ?? ''
    if (pieces.length > 0 && this.#cut !== undefined) {
      pieces[0] = this.#cut
      this.#cut = undefined
    }
    if (rest.length > this.#maxLength) this.#cut ??= rest.slice(0, this.#maxLength)
    this.#rest = this.#cut === undefined ? rest : rest.slice(-this.#end.length)
    return pieces.map((piece) => piece.slice(0, this.#maxLength))
  }
}
