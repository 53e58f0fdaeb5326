import { AppError } from '@muster/contract/errors'
import { formatFileSize } from '@muster/rules/text/units'
import { type Config, ConfigError, readConfig } from '../../platform/config/config.ts'
import { keepFilesPrivate } from '../../platform/files/private-files.ts'
import type { Totals } from './backup-items.ts'

/** Runs a command of one argument: its result goes to standard output, a problem ends it with exit code 1. */
export async function runTool(
  usage: string,
  work: (config: Config, argument: string) => Promise<string>,
): Promise<void> {
  keepFilesPrivate()
  const [argument, ...rest] = process.argv.slice(2)
  if (argument === undefined || argument.startsWith('-') || rest.length > 0) {
    process.stderr.write(`usage: ${usage}\n`)
    process.exitCode = 2
    return
  }
  try {
    process.stdout.write(`${await work(readConfig(process.env), argument)}\n`)
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof AppError
    process.stderr.write(`muster: ${isExpected ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

export function describeTotals({ tables, rows, files, bytes }: Totals): string {
  return `${tables} tables with ${rows} rows, ${files} files with ${formatFileSize(bytes)}`
}
