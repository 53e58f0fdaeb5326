#!/usr/bin/env node
import { CommanderError } from 'commander'
import { CliError, describeError } from './errors.ts'
import { createProgram } from './program.ts'

const INTERRUPTED = 130

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
// The reader of the output has ended, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.stderr.on('error', () => process.exit(1))

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    await createProgram(stop).parseAsync()
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (stop.signal.aborted) return INTERRUPTED
    // It has been printed; help that the user wanted is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`muster: ${describeError(error)}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}
