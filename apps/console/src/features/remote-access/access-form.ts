import type { RemoteSettings } from '@muster/contract/api/remote-access'
import { RemoteHours } from '@muster/contract/agent/remote-rules'
import type { RemoteRules } from '@muster/rules/remote-rules'
import { tellHours } from '@muster/rules/remote-rules'

const INHERIT = 'inherit'

/** Every choice is a text, `inherit` = as what stands above. */
export interface AccessForm extends Record<string, unknown> {
  forbidden: string
  hours: string
  weekdays: string[]
  from: string
  to: string
}

export type AccessField = keyof AccessForm & string

export function readAccess({ forbidden, hours }: RemoteSettings): AccessForm {
  const own = hours === null || hours === 'always' ? undefined : hours
  return {
    forbidden: forbidden === null ? INHERIT : forbidden ? 'yes' : 'no',
    hours: hours === null ? INHERIT : own === undefined ? 'always' : 'hours',
    weekdays: (own?.weekdays ?? [1, 2, 3, 4, 5]).map(String),
    from: own?.from ?? '08:00',
    to: own?.to ?? '17:00',
  }
}

/** What the form says, over what it does not show. */
export function writeAccess(form: AccessForm, kept: RemoteSettings): RemoteSettings {
  return {
    ...kept,
    forbidden: form.forbidden === INHERIT ? null : form.forbidden === 'yes',
    hours: form.hours === INHERIT ? null : form.hours === 'always' ? 'always' : hoursOf(form),
  }
}

/** Sentences at the fields that are wrong. */
export function checkAccess(form: AccessForm): Partial<Record<AccessField, string>> {
  if (form.hours !== 'hours') return {}
  const parsed = RemoteHours.safeParse(hoursOf(form))
  if (parsed.success) return {}
  return Object.fromEntries(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]))
}

const hoursOf = ({ weekdays, from, to }: AccessForm) => ({
  weekdays: weekdays.map(Number).toSorted((one, other) => one - other),
  from,
  to,
})

/** The choices of each field; the first one says what is inherited. `isTop`: nothing stands above it. */
export function accessChoices(inherited: RemoteRules, isTop: boolean) {
  const above = (what: string) => ({
    value: INHERIT,
    label: isTop ? `Not set: ${what}` : `As above: ${what}`,
  })
  const { hours } = inherited
  return {
    forbidden: [
      above(inherited.forbidden ? 'forbidden' : 'allowed'),
      { value: 'no', label: 'Allowed' },
      { value: 'yes', label: 'Forbidden' },
    ],
    hours: [
      above(hours === null ? 'at any time' : tellHours(hours)),
      { value: 'always', label: 'At any time' },
      { value: 'hours', label: 'At these hours' },
    ],
  }
}
