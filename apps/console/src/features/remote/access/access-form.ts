import {
  type TargetRemoteAccess,
  RecordedMachines,
  type RemoteSettings,
} from '@muster/contract/api/remote-access'
import { Consent, ConsentSeconds, RemoteHours } from '@muster/contract/agent/remote'
import type { RemoteRules } from '@muster/rules/remote/remote-rules'
import { formatHours } from '@muster/rules/remote/remote-rules'

const INHERIT = 'inherit'

export type TargetLevel = 'default' | 'client' | 'site' | 'agent'

/** Every choice is a text; `inherit` = the inherited value. */
export interface AccessForm extends Record<string, unknown> {
  forbidden: string
  hours: string
  weekdays: string[]
  from: string
  to: string
  consent: string
  consent_seconds: number | string
  banner: string
  ask_purpose: string
  record_terminals: string
  record_desktops: string
  enforced: boolean
}

export type AccessField = keyof AccessForm & string

export const ACCESS_FIELDS = {
  forbidden: {
    label: 'Remote tools',
    description:
      'Terminal, desktop, files, logs, processes, services. Does not apply to commands and scripts.',
  },
  hours: {
    label: 'Hours',
    description: "In each machine's time zone. Open sessions end with the hours.",
  },
  consent: {
    label: 'Person at the machine',
    description: 'Asked before a terminal or desktop opens.',
  },
  consent_seconds: { label: 'Time to respond', description: 'In seconds, from 5 to 120' },
  banner: {
    label: "Note with the technician's name",
    description: 'Shown at the machine while a terminal or desktop is open.',
  },
  ask_purpose: {
    label: 'Reason',
    description:
      'Ask why a terminal, the desktop or VNC is opened. Kept with the session and in the audit log.',
  },
  record_terminals: {
    label: 'Record terminals',
    description: 'The technician is informed. Servers are machines of the type “Server”.',
  },
  record_desktops: {
    label: 'Record desktops',
    description: 'Take control and VNC. The person at the machine is always informed.',
  },
} satisfies Partial<Record<string, { label: string; description: string }>>

export function readAccess(settings: RemoteSettings): AccessForm {
  const { forbidden, hours, consent, consent_seconds: seconds, banner } = settings
  const own = hours === null || hours === 'always' ? undefined : hours
  return {
    forbidden: forbidden === null ? INHERIT : forbidden ? 'yes' : 'no',
    hours: hours === null ? INHERIT : own === undefined ? 'always' : 'hours',
    weekdays: (own?.weekdays ?? [1, 2, 3, 4, 5]).map(String),
    from: own?.from ?? '08:00',
    to: own?.to ?? '17:00',
    consent: consent ?? INHERIT,
    consent_seconds: seconds ?? '',
    banner: banner === null ? INHERIT : banner ? 'yes' : 'no',
    ask_purpose: settings.ask_purpose === null ? INHERIT : settings.ask_purpose ? 'yes' : 'no',
    record_terminals: settings.record_terminals ?? INHERIT,
    record_desktops: settings.record_desktops ?? INHERIT,
    enforced: settings.enforced,
  }
}

export function writeAccess(form: AccessForm): RemoteSettings {
  return {
    forbidden: form.forbidden === INHERIT ? null : form.forbidden === 'yes',
    hours: form.hours === INHERIT ? null : form.hours === 'always' ? 'always' : hoursOf(form),
    consent: form.consent === INHERIT ? null : Consent.parse(form.consent),
    consent_seconds: form.consent_seconds === '' ? null : Number(form.consent_seconds),
    banner: form.banner === INHERIT ? null : form.banner === 'yes',
    ask_purpose: form.ask_purpose === INHERIT ? null : form.ask_purpose === 'yes',
    record_terminals: recordedOf(form.record_terminals),
    record_desktops: recordedOf(form.record_desktops),
    enforced: form.enforced,
  }
}

/** Errors by field. */
export function checkAccess(form: AccessForm): Partial<Record<AccessField, string>> {
  const { consent_seconds: seconds } = form
  const isTime = seconds === '' || ConsentSeconds.safeParse(seconds).success
  const wrong = isTime ? {} : { consent_seconds: 'Enter 5 to 120 seconds.' }
  if (form.hours !== 'hours') return wrong
  const parsed = RemoteHours.safeParse(hoursOf(form))
  if (parsed.success) return wrong
  const ofHours = parsed.error.issues.map(({ path, message }) => [String(path[0]), message])
  return { ...wrong, ...Object.fromEntries(ofHours) }
}

const CONSENT_LABELS = {
  off: 'Not asked',
  ask: 'Asked; no answer refuses',
  ask_allow: 'Asked; no answer allows',
  require: 'Consent required',
} satisfies Record<RemoteRules['consent'], string>
const CONSENTS = Object.entries(CONSENT_LABELS).map(([value, label]) => ({ value, label }))

const RECORDED_LABELS = { servers: 'Servers', all: 'All machines', none: 'Off' }
const RECORDED = {
  many: Object.entries(RECORDED_LABELS).map(([value, label]) => ({ value, label })),
  one: [
    { value: 'all', label: 'Recorded' },
    { value: 'none', label: 'Not recorded' },
  ],
}
const recordedOf = (value: string) => (value === INHERIT ? null : RecordedMachines.parse(value))

const hoursOf = ({ weekdays, from, to }: AccessForm) => ({
  weekdays: weekdays.map(Number).toSorted((one, other) => one - other),
  from,
  to,
})

/** The choices of each field; the first one shows the inherited value. */
export function accessChoices(inherited: TargetRemoteAccess['inherited'], level: TargetLevel) {
  const isTop = level === 'default'
  const above = (what: string) => ({
    value: INHERIT,
    label: isTop ? `Not set: ${what}` : `Inherited: ${what}`,
  })
  const { hours } = inherited
  const recorded = (which: RecordedMachines) => [
    above(RECORDED_LABELS[which].toLowerCase()),
    ...RECORDED[level === 'agent' ? 'one' : 'many'],
  ]
  return {
    forbidden: [
      above(inherited.forbidden ? 'forbidden' : 'allowed'),
      { value: 'no', label: 'Allowed' },
      { value: 'yes', label: 'Forbidden' },
    ],
    hours: [
      above(hours === null ? 'at any time' : formatHours(hours)),
      { value: 'always', label: 'At any time' },
      { value: 'hours', label: 'At these hours' },
    ],
    consent: [above(CONSENT_LABELS[inherited.consent].toLowerCase()), ...CONSENTS],
    banner: [
      above(inherited.banner ? 'shown' : 'not shown'),
      { value: 'yes', label: 'Shown' },
      { value: 'no', label: 'Not shown' },
    ],
    ask_purpose: [
      above(inherited.ask_purpose ? 'asked for' : 'not asked for'),
      { value: 'yes', label: 'Asked for' },
      { value: 'no', label: 'Not asked for' },
    ],
    record_terminals: recorded(inherited.record_terminals),
    record_desktops: recorded(inherited.record_desktops),
  }
}
