import {
  type EscalationChain,
  EscalationChainForm,
  listEscalationChains,
} from '@muster/contract/api/escalations'
import { query } from '../../../app/api/api.ts'

export const chainsQuery = query(listEscalationChains, {})

export interface StepForm {
  /** Empty while it is being typed. */
  after_minutes: number | ''
  users: string[]
  schedules: string[]
  channels: string[]
}

/** The values of the fields. */
export interface ChainForm extends Record<string, unknown> {
  name: string
  steps: StepForm[]
  repeats: boolean
  repeat_minutes: number | ''
  repeat_times: number | ''
  mail_channel: string | null
}

const NEXT_STEP_MINUTES = 15

export function newChainForm(): ChainForm {
  return {
    name: '',
    steps: [nextStep([])],
    repeats: false,
    repeat_minutes: 15,
    repeat_times: 3,
    mail_channel: null,
  }
}

/** A step to add after these. */
export function nextStep(steps: readonly StepForm[]): StepForm {
  const last = steps.at(-1)
  const after_minutes = last === undefined ? 0 : Number(last.after_minutes) + NEXT_STEP_MINUTES
  return { after_minutes, users: [], schedules: [], channels: [] }
}

export function readChainForm(chain: EscalationChain): ChainForm {
  const repeats = chain.repeat_minutes > 0 && chain.repeat_times > 0
  const { repeat_minutes, repeat_times } = repeats ? chain : newChainForm()
  return {
    name: chain.name,
    steps: chain.steps.map(({ after_minutes, users, schedules, channels }) => ({
      after_minutes,
      users: users.map(String),
      schedules: schedules.map(String),
      channels: channels.map(String),
    })),
    repeats,
    repeat_minutes,
    repeat_times,
    mail_channel: chain.mail_channel === null ? null : `${chain.mail_channel}`,
  }
}

export function toChain(form: ChainForm): EscalationChainForm {
  const { name, steps, repeats, repeat_minutes, repeat_times, mail_channel } = form
  return {
    name: name.trim(),
    steps: steps.map(({ after_minutes, users, schedules, channels }) => ({
      after_minutes: numberOf(after_minutes),
      users: users.map(Number),
      schedules: schedules.map(Number),
      channels: channels.map(Number),
    })),
    repeat_minutes: repeats ? numberOf(repeat_minutes) : 0,
    repeat_times: repeats ? numberOf(repeat_times) : 0,
    mail_channel: mail_channel === null ? null : Number(mail_channel),
  }
}

const numberOf = (value: number | '') => (value === '' ? Number.NaN : value)

/** One error for each invalid field. */
export function checkChainForm(form: ChainForm): Record<string, string> {
  const found: [string, string][] = []
  const { steps, repeats, repeat_minutes, repeat_times } = form
  for (const [index, { after_minutes }] of steps.entries()) {
    const before = steps[index - 1]
    if (before !== undefined && numberOf(after_minutes) <= numberOf(before.after_minutes))
      found.push([`steps.${index}.after_minutes`, 'Later than the step before.'])
  }
  if (repeats && Number(repeat_minutes) < 1) found.push(['repeat_minutes', 'At least 1 minute.'])
  if (repeats && Number(repeat_times) < 1) found.push(['repeat_times', 'At least once.'])
  const issues = EscalationChainForm.safeParse(toChain(form)).error?.issues ?? []
  for (const { path, message, code } of issues) {
    if (path.length === 1 && path[0] === 'steps') continue
    found.push([path.join('.'), code === 'invalid_type' ? 'Enter a number.' : message])
  }
  return Object.fromEntries(found.toReversed())
}

/** `At once`, `After 15 min`. */
export function afterLabel(minutes: number | ''): string {
  if (minutes === '' || Number.isNaN(minutes)) return 'After …'
  return minutes === 0 ? 'At once' : `After ${minutes} min`
}
