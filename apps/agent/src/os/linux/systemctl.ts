import { AgentError, MeasureError, NotMeasuredError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import type { ServiceState } from '../probes.ts'
import { firstLine, runTool } from '../run-tool.ts'

const SHOW_LIMIT_MS = 10_000
/** A start job finishes when the service reports ready, which some never do. */
const START_LIMIT_MS = 30_000
const NO_SYSTEMD = 'systemd is not running on this machine, so services and timers are not available.'

/** Kinds of units. A name with another ending is one of a service for systemctl. */
const KIND = /\.(service|socket|target|device|mount|automount|swap|path|timer|slice|scope)$/
const UNIT_NAME = /^[\w@.:\\-]+$/
/** They stop the machine or let it sleep, which needs another permission than services do. */
const END_OF_SYSTEM =
  /^systemd-(reboot|poweroff|halt|kexec|exit|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate)\.service$/

/**
 * The whole name of a service or timer: `ssh` is `ssh.service`. Throws AgentError for other kinds of units, such as
 * `reboot.target`, and for the paths and patterns that systemctl accepts.
 */
export function completeUnit(name: string, kind: 'service' | 'timer'): string {
  const whole = completeName(name)
  if (!UNIT_NAME.test(whole) || !whole.endsWith(`.${kind}`))
    throw new AgentError(`${name} is no ${kind} of systemd.`)
  return whole
}

/** Throws AgentError for a service that ends the system when it starts. */
export function requireHarmlessStart(unit: string): void {
  if (END_OF_SYSTEM.test(unit))
    throw new AgentError(`${unit} ends the system. Restart or shut down the machine instead.`)
}

const completeName = (name: string) => (KIND.test(name) ? name : `${name}.service`)

export async function findUnit(name: string, signal: AbortSignal): Promise<ServiceState> {
  if (/[*?[]/.test(name)) throw new MeasureError(`Enter the name of one unit instead of ${name}.`)
  const properties = '--property=LoadState,ActiveState,SubState,Result'
  const { code, stdout, stderr } = await systemctl(['show', properties, '--', name], signal, SHOW_LIMIT_MS)
  if (code !== 0) throw new MeasureError(`Failed to read the service ${name}: ${firstLine(stderr, stdout)}`)
  return parseUnit(stdout)
}

/** Starts a unit for a check. Returns the error message, if any. */
export async function startUnit(name: string, signal: AbortSignal): Promise<string | undefined> {
  const shown = await systemctl(['show', '--property=Id', '--', name], signal, SHOW_LIMIT_MS)
  // An alias has another id.
  for (const unit of [completeName(name), /^Id=(.+)$/m.exec(shown.stdout)?.[1] ?? ''])
    if (/[*?[]|\.(target|slice|scope)$/.test(unit) || END_OF_SYSTEM.test(unit))
      return `${unit} is not started by a check.`
  const { code, stderr, timedOut } = await systemctl(
    ['start', '--no-ask-password', '--', name],
    signal,
    START_LIMIT_MS,
  )
  if (code === 0) return undefined
  return timedOut ? `it was not ready within ${START_LIMIT_MS / 1000} seconds` : firstLine(stderr)
}

/** The output of `systemctl show`. */
export function parseUnit(output: string): ServiceState {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(output)?.[1]?.trim() ?? ''
  const [load, active, sub, result] = [
    value('LoadState'),
    value('ActiveState'),
    value('SubState'),
    value('Result'),
  ]
  const detail = [active, sub === active ? '' : `(${sub})`, load === 'loaded' ? '' : load]
    .concat(result === 'success' || result === '' ? [] : [`result ${result}`])
    .filter((part) => part !== '' && part !== '()')
    .join(' ')
  // A unit whose file is missing or masked may still run.
  if (load === 'not-found' && active === 'inactive') return { state: 'missing', detail }
  switch (active) {
    case 'active':
    case 'reloading':
    case 'refreshing':
      return { state: 'running', detail }
    case 'activating':
      return { state: 'start_pending', detail }
    case 'failed':
      return { state: 'failed', detail }
    case 'inactive':
    case 'deactivating':
    case 'maintenance':
      return { state: 'stopped', detail }
    default:
      throw new MeasureError(`systemd returned an invalid state: ${firstLine(output)}`)
  }
}

/** Throws MeasureError if systemd is not running. */
export async function systemctl(args: string[], signal: AbortSignal, timeoutMs: number) {
  if (findProgram('systemctl') === undefined) throw new NotMeasuredError(NO_SYSTEMD)
  const answer = await runTool('systemctl', args, { signal, timeoutMs })
  const isAbsent = /not been booted with systemd|Failed to connect to bus/.test(answer.stderr)
  if (answer.code !== 0 && isAbsent) throw new NotMeasuredError(NO_SYSTEMD)
  return answer
}
