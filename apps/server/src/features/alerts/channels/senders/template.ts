import { linkOf, type Message, subjectOf, textOf } from '../message.ts'

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g

/**
 * Fills in the variables of a body. Values are escaped as in a JSON string, without quotes, so that no value can end
 * its string: `{"text": "{{alert.message}}"}`.
 */
export function fillTemplate(template: string, message: Message): string {
  const values = valuesOf(message)
  return template.replaceAll(VARIABLE, (all, name: string) => {
    const value = values.get(name)
    return value === undefined ? all : JSON.stringify(value).slice(1, -1)
  })
}

/** @returns The problem of a template, or undefined. */
export function checkTemplate(template: string): string | undefined {
  if (template.trim() === '') return undefined
  const names = new Set(valuesOf(SAMPLE).keys())
  const unknown = [...template.matchAll(VARIABLE)]
    .map(([, name = '']) => name)
    .find((name) => !names.has(name))
  if (unknown !== undefined)
    return `The variable {{${unknown}}} does not exist. Use: ${[...names].join(', ')}.`
  try {
    JSON.parse(fillTemplate(template, SAMPLE))
    return undefined
  } catch (error) {
    // A line break in the sample reveals a variable outside of quotes.
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
    ['acknowledge_url', message.links[0]?.url ?? ''],
    ['delivery', message.delivery],
    ['sent_at', message.at.toISOString()],
  ])
}

/** Typical values: ids are digits and may be unquoted. */
const SAMPLE: Message = {
  delivery: 'sample',
  installation: 'sample',
  at: new Date(0),
  timeZone: 'UTC',
  consoleUrl: undefined,
  links: [],
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
        resolution: '',
      },
    },
  ],
}
