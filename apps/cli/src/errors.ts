import { ApiError } from '@muster/contract/client'
import { makeSafe } from './text.ts'

/** A message for the user, without a stack. Exit code 2: the command line was wrong. */
export class CliError extends Error {
  override name = 'CliError'
  exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

const MAX_LENGTH = 2000
const UNTRUSTED = /CERT|UNABLE_TO_(VERIFY|GET_ISSUER)/

/** One line: what happened, and the id under which the server has logged it. */
export function describeError(error: unknown): string {
  const text = makeSafe(error instanceof ApiError ? describeRefusal(error) : describeCause(error))
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line
}

/** Whether the same request may succeed a little later. */
export function isPassing(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return ['network', 'timeout', 'too_many_requests'].includes(error.code) || error.status >= 500
}

function describeRefusal(error: ApiError): string {
  if (error.code === 'network') return `The server cannot be reached: ${describeCause(error.cause)}`
  const fields = Object.entries(error.fields).map(([name, messages]) => ` ${name}: ${messages.join(' ')}`)
  const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`
  return `${error.message}${fields.join('')}${request}`
}

/** `fetch` itself only says that it failed; the reason is the innermost cause. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return describeCause(error.cause)
  // One error for each address of a name.
  if (error instanceof AggregateError && error.errors.length > 0) return describeCause(error.errors[0])
  const code = 'code' in error ? String(error.code) : ''
  const hint = UNTRUSTED.test(code)
    ? '. If it is your own, pass the certificate of its authority: --ca FILE'
    : ''
  return `${error.message === '' ? code : error.message}${hint}`
}
