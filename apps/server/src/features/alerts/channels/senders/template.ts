import { linkOf, type Message, subjectOf, textOf } from '../message.ts'

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g

/**
 * A body with its variables filled in. Values are escaped as in a JSON string and bring no quotes of their own, so
 * that nothing in a message can end the string that it stands in: `{"text": "{{alert.message}}"}`.
 */
export function fillTemplate(template: string, message: Message): string {
  const values = valuesOf(message)
  return template.replaceAll(VARIABLE, (all, name: string) => {
    const value = values.get(name)
    return value === undefined ? all : JSON.stringify(value).slice(1, -1)
  })
}

/** What is wrong with a template, undefined when nothing is. */
export function checkTemplate(template: string): string | undefined {
  if (template.trim() === '') return undefined
  const names = new Set(valuesOf(SAMPLE).keys())
  const unknown = [...template.matchAll(VARIABLE)]
    .map(([, name = '']) => name)
    .find((name) => !names.has(name))
  if (unknown !== undefined)
    return `There is no variable {{${unknown}}}. There are: ${[...names].join(', ')}.`
  try {
    JSON.parse(fillTemplate(template, SAMPLE))
    return undefined
  } catch (error) {
    // A line break in the sample shows a variable that stands outside of quotes.
    const reason = error instanceof Error ? error.message : String(error)
    return `With its variables filled in this is no JSON: ${reason}`.slice(0, 300)
  }
}

function valuesOf(message: Message): Map<string, string> {
  const [{ kind, alert }] = message.news
  return new Map<string, string>([
    ...Object.entries(alert).map(([name, value]) => [`alert.${name}`, String(value ?? '')] as const),
    ['kind', kind],
    ['subject', subjectOf(message)],
    ['text', textOf(message)],
    ['url', linkOf(message) ?? ''],
    ['delivery', message.delivery],
    ['sent_at', message.at.toISOString()],
  ])
}

/** Values as they are in practice: ids are digits, and may stand without quotes. */
const SAMPLE: Message = {
  delivery: 'sample',
  installation: 'sample',
  at: new Date(0),
  timeZone: 'UTC',
  consoleUrl: undefined,
  news: [
    {
      kind: 'opened',
      alert: {
        id: 1,
        alert_type: 'check',
        state: 'open',
        severity: 'error',
        message: 'Disk "C:\\"\nis full',
        agent_id: 'abcdefgh',
        hostname: 'PC-1',
        client_id: 1,
        client: 'Client',
        site_id: 1,
        site: 'Site',
        check_id: 1,
        alert_time: new Date(0).toISOString(),
        resolved_on: null,
        flapping: false,
      },
    },
  ],
}
