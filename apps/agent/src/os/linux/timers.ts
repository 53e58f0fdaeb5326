import { MAX_SYSTEM_TASKS, type SystemTask } from '@muster/contract/agent/scheduler'
import { z } from 'zod'
import { AgentError } from '../../errors.ts'
import type { SchedulerTools } from '../os.ts'
import { firstLine } from '../run-tool.ts'
import { completeUnit, systemctl } from './systemctl.ts'

const LIMIT_MS = 15_000
const JOB_LIMIT_MS = 30_000
const TIMER_PROPERTIES =
  'Id,Description,ActiveState,SubState,UnitFileState,Unit,TimersCalendar,TimersMonotonic'
const UNIT_PROPERTIES = 'Id,ActiveState,Result,User'

/** Timers of systemd. */
export const linuxScheduler: SchedulerTools = {
  async list(name) {
    const id = name === null ? null : await findId(completeUnit(name, 'timer'))
    const [times, files] = await Promise.all([
      ask(['list-timers', '--all', '--no-pager', '--output=json']),
      ask(['list-unit-files', '--type=timer', '--no-legend', '--no-pager', '--plain']),
    ])
    const all = addUnloaded(parseTimes(times), files)
    const wanted = all.filter(({ unit }) => id === null || unit === id).slice(0, MAX_SYSTEM_TASKS)
    const timers = await show(
      TIMER_PROPERTIES,
      wanted.map(({ unit }) => unit),
    )
    const units = wanted.map(({ unit }) => timers.get(unit)?.Unit ?? '').filter((unit) => unit !== '')
    return describeTimers(wanted, timers, await show(UNIT_PROPERTIES, [...new Set(units)]))
  },
  async change(name, action) {
    completeUnit(name, 'timer')
    if (action !== 'run') return demand([action, '--now', '--no-ask-password', '--', name])
    const unit = (await show('Id,Unit', [name])).get(name)?.Unit ?? ''
    if (unit === '') throw new AgentError(`The timer ${name} starts no unit.`)
    await demand(['start', '--no-block', '--no-ask-password', '--', unit])
  },
}

const Times = z.array(
  z.object({
    /** Microseconds since 1970; 0 or null = none. */
    next: z.number().nullable(),
    last: z.number().nullable(),
    unit: z.string(),
  }),
)
type Times = z.infer<typeof Times>

/** From `systemctl list-timers --output=json`, which systemd knows since 249. */
export function parseTimes(output: string): Times {
  try {
    return Times.parse(JSON.parse(output))
  } catch (cause) {
    throw new AgentError('systemd on this machine is too old to list its timers. It needs version 249.', {
      cause,
    })
  }
}

/** Timers that are stopped and disabled only have a file. A template is no timer before it has an instance. */
function addUnloaded(times: Times, files: string): Times {
  const names = files.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? '')
  const unloaded = names.filter(
    (name) => /^[^@-][^@]*(@[^@.]+)?\.timer$/.test(name) && !times.some(({ unit }) => unit === name),
  )
  return [...times, ...unloaded.map((unit) => ({ unit, next: null, last: null }))]
}

/** The name of a timer that systemd knows, also by an alias. */
async function findId(name: string): Promise<string> {
  const [id = ''] = (await show('Id', [name])).keys()
  return completeUnit(id || name, 'timer')
}

type Properties = Partial<Record<string, string>>

/** From `systemctl show` for several units: blocks of `Name=value`, by the names of the units. */
export function readBlocks(output: string): Map<string, Properties> {
  return new Map(
    output.split(/\n\s*\n/).map((block) => {
      const properties: Properties = {}
      for (const [, name = '', value = ''] of block.matchAll(/^(\w+)=(.*)$/gm))
        properties[name] = properties[name] === undefined ? value : `${properties[name]}\n${value}`
      return [properties.Id ?? '', properties] as const
    }),
  )
}

const CHANGEABLE = new Set(['enabled', 'enabled-runtime', 'disabled'])

export function describeTimers(
  times: Times,
  timers: ReadonlyMap<string, Properties>,
  units: ReadonlyMap<string, Properties>,
): SystemTask[] {
  return times.map(({ unit: name, next, last }) => {
    const timer = timers.get(name) ?? {}
    const activates = timer.Unit ?? ''
    const started = units.get(activates) ?? {}
    const lastRun = instantOf(last)
    return {
      name: name.slice(0, 400),
      description: (timer.Description ?? '').slice(0, 500),
      state: stateOf(timer, started),
      can_change: CHANGEABLE.has(timer.UnitFileState ?? ''),
      schedule: describeSchedule(timer).slice(0, 255),
      command: activates.slice(0, 500),
      username: (started.User ?? '').slice(0, 255),
      last_run: lastRun,
      last_result: lastRun === null ? '' : describeResult(started.Result),
      next_run: instantOf(next),
    }
  })
}

function stateOf(timer: Properties, started: Properties): SystemTask['state'] {
  if (timer.ActiveState === 'failed') return 'failed'
  if (timer.ActiveState === 'inactive') return 'disabled'
  if (timer.ActiveState !== 'active') return 'unknown'
  const isRunning = started.ActiveState === 'activating' || started.ActiveState === 'active'
  return isRunning || timer.SubState === 'running' ? 'running' : 'ready'
}

function describeResult(result = ''): string {
  if (result === '') return ''
  return result === 'success' ? 'success' : `failed (${result})`.slice(0, 100)
}

/** `{ OnCalendar=*-*-* 00:00:00 ; next_elapse=... }` and `{ OnBootUSec=15min ; next_elapse=... }` */
function describeSchedule({ TimersCalendar = '', TimersMonotonic = '' }: Properties): string {
  const parts = [...`${TimersCalendar}\n${TimersMonotonic}`.matchAll(/\{ (\w+)=(.*?) ; next_elapse=/g)]
  return parts
    .map(([, name = '', value = '']) =>
      name === 'OnCalendar' ? value : `${MONOTONIC[name] ?? name} ${value}`,
    )
    .join('; ')
}

const MONOTONIC: Partial<Record<string, string>> = {
  OnActiveUSec: 'after it was enabled:',
  OnBootUSec: 'after start-up:',
  OnStartupUSec: 'after start-up:',
  OnUnitActiveUSec: 'after its last start:',
  OnUnitInactiveUSec: 'after its last end:',
}

/** The end of time of systemd. */
const NEVER = 2 ** 63

function instantOf(microseconds: number | null): string | null {
  if (microseconds === null || microseconds <= 0 || microseconds >= NEVER) return null
  const date = new Date(microseconds / 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

async function show(properties: string, units: readonly string[]): Promise<Map<string, Properties>> {
  if (units.length === 0) return new Map()
  return readBlocks(await ask(['show', `--property=${properties}`, '--', ...units]))
}

async function ask(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await systemctl(args, AbortSignal.timeout(LIMIT_MS + 1000), LIMIT_MS)
  if (code !== 0 && stdout === '') throw new AgentError(`Failed to list the timers: ${firstLine(stderr)}`)
  return stdout
}

async function demand(args: string[]): Promise<void> {
  const signal = AbortSignal.timeout(JOB_LIMIT_MS + 1000)
  const { code, stderr, stdout } = await systemctl(args, signal, JOB_LIMIT_MS)
  if (code !== 0) throw new AgentError(`systemd refused: ${firstLine(stderr, stdout)}`)
}
