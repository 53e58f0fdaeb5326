import type { CheckDefinition, CheckResult, MachineCheckType, Measured } from '@muster/contract/agent/checks'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { Random } from './random.ts'

const GB = 1024 ** 3
const DAY_MS = 86_400_000

interface KnownCheck {
  id: number
  revision: string
  /** Undefined until the server has sent the definition. */
  type: MachineCheckType | undefined
  /** Varies the results between machines: 0 to 1. */
  own: number
}

/** The checks of one simulated machine. Compact, because a fleet has a hundred thousand checks. */
export class FakeChecks {
  #version = 0
  /** The newest version received on this link. */
  #newest = -1
  #known = new Map<number, KnownCheck>()
  #next = 0

  /** The version that is stored completely; 0 = none. */
  get version(): number {
    return this.listMissing().length === 0 ? this.#version : 0
  }

  get size(): number {
    return this.#known.size
  }

  /** A new link accepts any version, as in the real agent. */
  onLinkUp(): void {
    this.#newest = -1
  }

  /** Stores the current definitions. */
  set({ version, wanted, put }: CommandInput<'set-checks'>, random: Random): void {
    if (version < this.#newest) return
    this.#newest = version
    this.#version = version
    const before = this.#known
    this.#known = new Map(
      wanted.map(({ id, revision }) => {
        const known = before.get(id)
        const type = known?.revision === revision ? known.type : undefined
        return [id, { id, revision, type, own: known?.own ?? random.next() }]
      }),
    )
    for (const definition of put) this.#put(definition)
  }

  listMissing(): number[] {
    return [...this.#known.values()].filter(({ type }) => type === undefined).map(({ id }) => id)
  }

  /** The next check results in turn, each check at most once. */
  measureNext(count: number, random: Random): CheckResult[] {
    const checks = [...this.#known.values()].filter(({ type }) => type !== undefined)
    const positions = Array.from({ length: Math.min(count, checks.length) }, () => this.#next++)
    return positions.flatMap((position) => measure(checks[position % checks.length], random))
  }

  /** Results of these checks, or of all. */
  measureThese(ids: readonly number[] | null, random: Random): CheckResult[] {
    const checks = [...this.#known.values()].filter(({ id }) => ids === null || ids.includes(id))
    return checks.flatMap((check) => measure(check, random))
  }

  /** Results of the CPU checks for this load. */
  measureCpu(percent: number): CheckResult[] {
    const at = new Date().toISOString()
    const checks = [...this.#known.values()].filter(({ type }) => type === 'cpuload')
    return checks.map(({ id, revision }) => ({
      check_id: id,
      revision,
      at,
      measured: { check_type: 'cpuload', percent },
    }))
  }

  /** Results of every check at each of these times, in milliseconds, like a machine that was offline. */
  measurePast(momentsMs: readonly number[], random: Random): CheckResult[] {
    const checks = [...this.#known.values()]
    return momentsMs.flatMap((atMs) => checks.flatMap((check) => measure(check, random, atMs)))
  }

  #put({ id, revision, check_type }: CheckDefinition): void {
    const known = this.#known.get(id)
    if (known?.revision === revision) known.type = check_type
  }
}

function measure(check: KnownCheck | undefined, random: Random, nowMs = Date.now()): CheckResult[] {
  if (check?.type === undefined) return []
  const measured = invent(check.type, { own: check.own, nowMs, random })
  return [{ check_id: check.id, revision: check.revision, at: new Date(nowMs).toISOString(), measured }]
}

/** A plausible result: busy by day, disks that fill over weeks, a failure now and then. */
function invent(
  type: MachineCheckType,
  { own, nowMs, random }: { own: number; nowMs: number; random: Random },
): Measured {
  const day = Math.sin(2 * Math.PI * (nowMs / DAY_MS + own))
  const percent = (base: number, swing: number) =>
    round(Math.min(100, Math.max(0, base + swing * day + 6 * (random.next() - 0.5))))
  switch (type) {
    case 'cpuload':
      return { check_type: type, percent: percent(10 + 50 * own, 15) }
    case 'memory':
      return {
        check_type: type,
        percent: percent(35 + 45 * own, 8),
        total_bytes: 16 * GB,
        swap_percent: own < 0.2 ? null : percent(8, 4),
      }
    case 'diskspace': {
      const total_bytes = Math.round(120 + 880 * own) * GB
      const week = (nowMs / (7 * DAY_MS) + own) % 1
      const free_bytes = Math.round(total_bytes * (0.08 + 0.6 * own * (1 - week)))
      return {
        check_type: type,
        exists: true,
        total_bytes,
        free_bytes,
        inodes_total: 6_553_600,
        inodes_free: Math.round(6_553_600 * (0.6 + 0.3 * own)),
      }
    }
    case 'ping': {
      const received = random.percent(1) ? 0 : 3
      const ms = received === 0 ? null : round(1 + 40 * own + 5 * random.next())
      return {
        check_type: type,
        sent: 3,
        received,
        ms,
        output: `3 packets transmitted, ${received} received`,
      }
    }
    case 'service':
      return {
        check_type: type,
        state: random.percent(0.5) ? 'stopped' : 'running',
        restarted: false,
        detail: '',
      }
    case 'script': {
      const retcode = random.percent(1) ? 1 : 0
      const queue = Math.round(40 * own + 10 * (1 + day))
      return {
        check_type: type,
        outcome: 'exited',
        retcode,
        stdout: `The queue holds ${queue} jobs.\nmetric queue=${queue} jobs\n`,
        stderr: '',
        execution_time: round(0.1 + own),
        metrics: [{ name: 'queue', value: queue, unit: 'jobs' }],
      }
    }
    case 'process':
      return {
        check_type: type,
        count: random.percent(0.5) ? 0 : 1 + Math.round(3 * own),
        memory_bytes: Math.round((0.15 + own + 0.1 * day) * GB),
      }
    case 'file':
      return {
        check_type: type,
        exists: true,
        size_bytes: Math.round(own * GB),
        age_seconds: round((nowMs / 1000 + own * 86_400) % 86_400),
      }
    case 'eventlog':
    case 'journal': {
      const entry = { source: 'backup', event_id: '', message: 'The backup failed: the disk is full.' }
      const entries = random.percent(1) ? [{ at: new Date(nowMs).toISOString(), ...entry }] : []
      return { check_type: type, count: entries.length, is_whole: true, entries }
    }
  }
}

const round = (value: number) => Math.round(value * 100) / 100
