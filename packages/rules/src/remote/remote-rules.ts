const DAY_MINUTES = 1440
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** 1 January 1970 was a Thursday. */
const THURSDAY = 4

/**
 * Whether the user at a machine is asked for consent before a terminal or the desktop opens. `ask`: no response
 * refuses. `ask_allow`: no response allows. Both open the session if no user can be asked; `require` does not.
 */
export type Consent = 'off' | 'ask' | 'ask_allow' | 'require'

/** When remote tools may be used: start days and times of day. Past midnight if `to` is not later. */
export interface RemoteHours {
  /** 0 = Sunday. */
  weekdays: number[]
  /** `08:00`. */
  from: string
  to: string
}

/** The remote rules of one machine. */
export interface RemoteRules {
  forbidden: boolean
  /** By the machine's own clock and zone; null = always. */
  hours: RemoteHours | null
  consent: Consent
  /** Time limit of a consent response. */
  consent_seconds: number
  /** The user at the machine sees a banner during the session. */
  banner: boolean
}

/** Settings of one machine, site or client; null = inherited. `always` = no limited hours. */
export interface RemoteSettings {
  forbidden: boolean | null
  hours: RemoteHours | 'always' | null
  consent: Consent | null
  consent_seconds: number | null
  banner: boolean | null
  /** Nearer levels cannot change what is set here. */
  enforced?: boolean | undefined
}

export const DEFAULT_REMOTE_RULES: RemoteRules = {
  forbidden: false,
  hours: null,
  consent: 'off',
  consent_seconds: 30,
  banner: false,
}

/**
 * What counts of each level: settings that a level before it enforces are left out. The nearest to the machine is last,
 * and wins among the rest.
 */
export function dropOverruled<Settings extends { enforced?: boolean | undefined }>(
  levels: readonly Settings[],
): Settings[] {
  const names = new Set<string>()
  return levels.map((level) => {
    // Null is a value of every setting.
    const kept = { ...level, ...Object.fromEntries(Array.from(names, (name) => [name, null])) } as Settings
    if (level.enforced === true) for (const name of listSet(kept)) names.add(name)
    return kept
  })
}

/** Names of the settings that these levels enforce. */
export function findEnforced(levels: readonly { enforced?: boolean | undefined }[]): string[] {
  return dropOverruled(levels).flatMap((level) => (level.enforced === true ? listSet(level) : []))
}

function listSet(level: object): string[] {
  return Object.entries(level).flatMap(([name, value]) =>
    name === 'enforced' || value === null ? [] : [name],
  )
}

/** Merges settings; the nearest to the machine is last and wins, unless one above enforces. */
export function mergeRemoteSettings(levels: readonly RemoteSettings[]): RemoteRules {
  let rules = DEFAULT_REMOTE_RULES
  for (const { forbidden, hours, consent, consent_seconds, banner } of dropOverruled(levels)) {
    rules = {
      forbidden: forbidden ?? rules.forbidden,
      hours: hours === 'always' ? null : (hours ?? rules.hours),
      consent: consent ?? rules.consent,
      consent_seconds: consent_seconds ?? rules.consent_seconds,
      banner: banner ?? rules.banner,
    }
  }
  return rules
}

/** Whether remote tools may be used at a time. `wallMs`: local time of the machine, as in zone-time. */
export function isWithinHours({ weekdays, from, to }: RemoteHours, wallMs: number): boolean {
  const minute = Math.floor((wallMs % DAY_MS) / MINUTE_MS)
  const weekday = (Math.floor(wallMs / DAY_MS) + THURSDAY) % 7
  const [begins, ends] = [minuteOf(from), minuteOf(to)]
  if (begins < ends) return weekdays.includes(weekday) && minute >= begins && minute < ends
  // Hours that started yesterday last until `to`.
  return (
    (weekdays.includes(weekday) && minute >= begins) ||
    (weekdays.includes((weekday + 6) % 7) && minute < ends)
  )
}

/** Why no remote tool may be used now, as a message; undefined if allowed. */
export function whyNoRemoteTools(
  { forbidden, hours }: Pick<RemoteRules, 'forbidden' | 'hours'>,
  readClock: () => { wallMs: number; zone: string },
): string | undefined {
  if (forbidden) return 'Remote tools are disabled on this machine.'
  if (hours === null) return undefined
  // Time zone data takes memory, so it is only read if hours are set.
  const { wallMs, zone } = readClock()
  if (isWithinHours(hours, wallMs)) return undefined
  const now = new Date(wallMs).toISOString().slice(11, 16)
  return `Remote tools may be used on this machine ${formatHours(hours)} (${zone}). Its local time is ${now}.`
}

/** `Mon, Tue from 08:00 to 17:00`. */
export function formatHours({ weekdays, from, to }: RemoteHours): string {
  const days = [1, 2, 3, 4, 5, 6, 0].filter((day) => weekdays.includes(day))
  const named = days.length === 7 ? 'every day' : days.map((day) => DAY_NAMES[day]).join(', ')
  const next = minuteOf(to) <= minuteOf(from) ? ' of the next day' : ''
  return `${named} from ${from} to ${to}${next}`
}

const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) % DAY_MINUTES
}

/** Which machines are recorded: those monitored as servers, all, or none. */
type RecordedMachines = 'servers' | 'all' | 'none'

/** Which sessions of remote tools are recorded. */
export interface RecordingRules {
  record_terminals: RecordedMachines
  record_desktops: RecordedMachines
}

/** Settings of one machine, site or client; null = inherited. */
type RecordingSettings = { [Name in keyof RecordingRules]: RecordedMachines | null } & {
  enforced?: boolean | undefined
}

/** Merges settings; the nearest to the machine is last and wins. `base` = the default. */
export function mergeRecordingSettings(
  base: RecordingRules,
  levels: readonly RecordingSettings[],
): RecordingRules {
  const rules = { ...base }
  for (const { record_terminals, record_desktops } of dropOverruled(levels)) {
    rules.record_terminals = record_terminals ?? rules.record_terminals
    rules.record_desktops = record_desktops ?? rules.record_desktops
  }
  return rules
}

/** Whether sessions on a machine with this monitoring mode are recorded. */
export function isToolRecorded(
  rules: RecordingRules,
  { tool, monitoringType }: { tool: 'terminal' | 'desktop' | 'vnc'; monitoringType: string },
): boolean {
  const which = tool === 'terminal' ? rules.record_terminals : rules.record_desktops
  return which === 'all' || (which === 'servers' && monitoringType === 'server')
}
