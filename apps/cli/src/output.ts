import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import { describeError, isPassing } from './errors.ts'
import { type Column, formatTable, makeSafe } from './text.ts'

/** The server of a command, and its global options. */
export interface Context {
  client: Client
  json: boolean
  /** Ctrl+C. */
  signal: AbortSignal
}

export interface List<Row> {
  read: () => Promise<readonly Row[]>
  columns: readonly Column<Row>[]
  /** Printed instead of a table without rows. */
  empty: string
  /** Repeats the list after this time. */
  watchSeconds: number | undefined
}

const CLEAR_SCREEN = '\u001B[2J\u001B[3J\u001B[H'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** For people beside the result: standard output stays the result alone. */
export function note(text: string): void {
  process.stderr.write(`${makeSafe(text)}\n`)
}

/** The object as the API sent it, with active characters escaped. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2)
  // JSON leaves all above U+001F as it is, such as the one-character escape sequences of terminals.
  print(text.replaceAll(/[\u007F-\u009F\u2028\u2029]|\p{Cf}/gu, escapeUnits))
}

export async function printList<Row>({ json, signal }: Context, list: List<Row>): Promise<void> {
  const { watchSeconds } = list
  const show = (rows: readonly Row[]) => {
    if (json) printJson(rows)
    else print(rows.length === 0 ? list.empty : formatTable(list.columns, rows, widthOf(process.stdout)))
  }
  if (watchSeconds === undefined) return show(await list.read())
  for (;;) {
    const rows = await list.read().catch((error: unknown) => {
      if (!isPassing(error)) throw error
      note(`muster: ${describeError(error)}`)
    })
    if (rows !== undefined) {
      if (process.stdout.isTTY && !json) process.stdout.write(CLEAR_SCREEN)
      show(rows)
    }
    await sleep(watchSeconds * 1000, undefined, { signal })
  }
}

/** Columns of a terminal; what programs read is never cut. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? stream.columns : Number.POSITIVE_INFINITY
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
