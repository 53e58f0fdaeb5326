import { MeasureError } from '../../../errors.ts'

export interface TaskDefinition {
  description: string
  /** Its triggers in words; empty if it only runs on request. */
  schedule: string
  /** Its first action. */
  command: string
  user: string
}

/** The XML of a registered task. Source: Windows API, "Task Scheduler Schema". Throws MeasureError. */
export function readDefinition(xml: string): TaskDefinition {
  const task = parseXml(xml)
  const principal = find(task, 'Principals', 'Principal')
  const user = textOf(principal, 'UserId') || textOf(principal, 'GroupId')
  const triggers = (find(task, 'Triggers')?.children ?? []).filter(
    (trigger) => textOf(trigger, 'Enabled') !== 'false',
  )
  return {
    description: textOf(find(task, 'RegistrationInfo'), 'Description'),
    schedule: triggers.map(describeTrigger).join('; '),
    command: describeAction(find(task, 'Actions')?.children[0]),
    user: ACCOUNTS[user] ?? user,
  }
}

const ACCOUNTS: Partial<Record<string, string>> = {
  'S-1-5-18': 'SYSTEM',
  'S-1-5-19': 'LOCAL SERVICE',
  'S-1-5-20': 'NETWORK SERVICE',
}

function describeAction(action: Element | undefined): string {
  if (action === undefined) return ''
  if (action.name === 'Exec') return `${textOf(action, 'Command')} ${textOf(action, 'Arguments')}`.trim()
  if (action.name === 'ComHandler') return `component ${textOf(action, 'ClassId')}`
  return action.name
}

const SIMPLE_TRIGGERS: Partial<Record<string, string>> = {
  BootTrigger: 'at start-up',
  LogonTrigger: 'at sign-in',
  IdleTrigger: 'when idle',
  RegistrationTrigger: 'when registered',
  EventTrigger: 'on an event',
  SessionStateChangeTrigger: 'on a change of a session',
}

function describeTrigger(trigger: Element): string {
  const every = readDuration(textOf(find(trigger, 'Repetition'), 'Interval'))
  const repeated = every === '' ? '' : `, repeated every ${every}`
  const start = textOf(trigger, 'StartBoundary')
  if (trigger.name === 'TimeTrigger') return `once on ${start.slice(0, 16).replace('T', ' at ')}${repeated}`
  if (trigger.name === 'CalendarTrigger')
    return `${describeDays(trigger)} at ${start.slice(11, 16)}${repeated}`
  return `${SIMPLE_TRIGGERS[trigger.name] ?? 'on a signal of Windows'}${repeated}`
}

function describeDays(trigger: Element): string {
  const [byDay, byWeek, byMonth] = ['ScheduleByDay', 'ScheduleByWeek', 'ScheduleByMonth'].map((name) =>
    find(trigger, name),
  )
  if (byDay !== undefined) return every(textOf(byDay, 'DaysInterval'), 'day')
  if (byWeek !== undefined) {
    const days = (find(byWeek, 'DaysOfWeek')?.children ?? []).map(({ name }) => name)
    return `${every(textOf(byWeek, 'WeeksInterval'), 'week')} on ${days.join(', ')}`
  }
  if (byMonth === undefined) return 'every month on a weekday'
  const days = (find(byMonth, 'DaysOfMonth')?.children ?? []).map(({ text }) => text)
  return `every month on ${days.length === 1 ? 'day' : 'days'} ${days.join(', ')}`
}

const every = (count: string, unit: string) =>
  count === '' || count === '1' ? `every ${unit}` : `every ${count} ${unit}s`

/** `PT1H30M` as `1 h 30 min`; empty for none. */
function readDuration(text: string): string {
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text) ?? []
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [seconds, 's'],
  ].filter(([count]) => count !== undefined)
  return parts.map((part) => part.join(' ')).join(' ')
}

interface Element {
  name: string
  /** Its own text, trimmed. */
  text: string
  children: Element[]
}

function find(from: Element | undefined, ...path: string[]): Element | undefined {
  return path.reduce<Element | undefined>(
    (element, name) => element?.children.find((child) => child.name === name),
    from,
  )
}

const textOf = (from: Element | undefined, name: string) => find(from, name)?.text ?? ''

const MAX_DEPTH = 32
const ENTITIES: Partial<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
/** A declaration or comment, CDATA, a tag, or text. */
const TOKEN =
  /<\?[^]*?\?>|<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<(\/?)([\w.:-]+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/y

/** Elements and their text; attributes are dropped. A document type is refused, as other syntax is. */
export function parseXml(xml: string): Element {
  const top: Element = { name: '', text: '', children: [] }
  const open = [top]
  TOKEN.lastIndex = 0
  // The scheduler puts a byte order mark before some definitions.
  const source = xml.replace(/^\uFEFF/, '')
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source)
    const inside = open.at(-1)
    if (found === null || inside === undefined) throw invalid()
    const [, data, isEnd, name, , isEmpty, text] = found
    if (data !== undefined) inside.text += data
    if (text !== undefined) inside.text += decodeEntities(text)
    if (name === undefined) continue
    if (isEnd === '/') {
      if (inside.name !== name || open.length === 1) throw invalid()
      inside.text = inside.text.trim()
      open.pop()
      continue
    }
    const element: Element = { name, text: '', children: [] }
    inside.children.push(element)
    if (isEmpty !== '/') open.push(element)
    if (open.length > MAX_DEPTH) throw invalid()
  }
  const [root, ...others] = top.children
  if (open.length !== 1 || root === undefined || others.length > 0 || top.text.trim() !== '') throw invalid()
  return root
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    if (name !== undefined) return ENTITIES[String(name)] ?? whole
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function invalid(): MeasureError {
  return new MeasureError('The definition of a task is no valid XML.')
}
