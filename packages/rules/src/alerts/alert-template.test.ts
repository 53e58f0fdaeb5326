import { describe, expect, test } from 'vitest'
import {
  allowsSeverity,
  alwaysWatches,
  type AssignedTemplate,
  belongsInBell,
  choicesFor,
  isExcluded,
  resolveTemplate,
  TEMPLATE_SOURCES,
  type TemplateSource,
} from './alert-template.ts'

const NOTHING_EXCLUDED = {
  exclude_workstations: false,
  exclude_servers: false,
  excluded_sites: [],
  excluded_clients: [],
  excluded_agents: [],
}
const PLACE = { agentId: 'machine', monitoringType: 'server', siteId: 2, clientId: 1 } as const
const template = (name: string, more: object = {}) => ({
  name,
  is_active: true,
  ...NOTHING_EXCLUDED,
  ...more,
})

type Assigned = Partial<Record<TemplateSource, ReturnType<typeof template>>>
const listOf = (assigned: Assigned): AssignedTemplate<ReturnType<typeof template>>[] =>
  Object.entries(assigned).map(([source, one]) => ({
    // Object.entries loses the literal names.
    source: source as TemplateSource,
    policy: source.endsWith('policy') ? 1 : null,
    template: one,
  }))

describe('which template applies', () => {
  test('the template nearest to the machine applies, in the order of the sources', () => {
    for (const [index, source] of TEMPLATE_SOURCES.entries()) {
      const rest = TEMPLATE_SOURCES.slice(index)
      const assigned = Object.fromEntries(rest.toReversed().map((name) => [name, template(name)]))
      const { applies, steps } = resolveTemplate(listOf(assigned), PLACE)
      expect(applies?.name).toBe(source)
      expect(steps.map(({ outcome }) => outcome)).toEqual([
        'applies',
        ...rest.slice(1).map(() => 'overruled'),
      ])
    }
  })

  test.each<[string, Assigned, string | undefined, string[]]>([
    ['nothing is assigned', {}, undefined, []],
    [
      'one that is switched off is passed over',
      { agent: template('a', { is_active: false }), client: template('c') },
      'c',
      ['inactive', 'applies'],
    ],
    [
      'one that excludes the machine is passed over',
      { site: template('s', { excluded_agents: ['machine'] }), default: template('d') },
      'd',
      ['excluded', 'applies'],
    ],
    [
      'all of them may be passed over',
      { site: template('s', { exclude_servers: true }), default: template('d', { is_active: false }) },
      undefined,
      ['excluded', 'inactive'],
    ],
  ])('%s', (_, assigned, name, outcomes) => {
    const { applies, steps } = resolveTemplate(listOf(assigned), PLACE)
    expect(applies?.name).toBe(name)
    expect(steps.map(({ outcome }) => outcome)).toEqual(outcomes)
  })

  test('policies at one target in their order', () => {
    const assigned = ['first', 'second'].map((name, index) => ({
      source: 'site_policy' as const,
      policy: index,
      template: template(name),
    }))
    expect(resolveTemplate(assigned, PLACE).applies?.name).toBe('first')
    expect(resolveTemplate(assigned.toReversed(), PLACE).applies?.name).toBe('second')
  })

  test.each([
    [{}, false],
    [{ exclude_servers: true }, true],
    [{ exclude_workstations: true }, false],
    [{ excluded_sites: [2] }, true],
    [{ excluded_sites: [1] }, false],
    [{ excluded_clients: [1] }, true],
    [{ excluded_agents: ['machine'] }, true],
    [{ excluded_agents: ['other'] }, false],
  ])('exclusions %j', (more, expected) => {
    expect(isExcluded({ ...NOTHING_EXCLUDED, ...more }, PLACE)).toBe(expected)
  })

  test('a whole site is neither server nor workstation', () => {
    const site = { agentId: null, monitoringType: null, siteId: 2, clientId: 1 }
    const exclusions = { ...NOTHING_EXCLUDED, exclude_servers: true, exclude_workstations: true }
    expect(isExcluded(exclusions, site)).toBe(false)
    expect(isExcluded({ ...exclusions, excluded_sites: [2] }, site)).toBe(true)
  })
})

const of = (type: string) => ({
  [`${type}_always_email`]: true,
  [`${type}_always_text`]: false,
  [`${type}_always_alert`]: null,
  [`${type}_email_on_resolved`]: null,
  [`${type}_text_on_resolved`]: false,
  [`${type}_email_alert_severity`]: ['error'],
  [`${type}_text_alert_severity`]: [],
  [`${type}_dashboard_alert_severity`]: ['warning', 'error'],
  [`${type}_periodic_alert_minutes`]: 30,
  [`${type}_script_actions`]: true,
})
const SETTINGS = { ...of('agent'), ...of('check'), ...of('task'), ...of('custom') } as unknown as Parameters<
  typeof choicesFor
>[0]

describe('template settings', () => {
  test.each(['check', 'task', 'custom'] as const)('of a %s', (type) => {
    expect(choicesFor(SETTINGS, type)).toEqual({
      email: { always: true, severities: ['error'], onResolved: null },
      text: { always: false, severities: [], onResolved: false },
      dashboard: { always: null, severities: ['warning', 'error'] },
      repeatMinutes: 30,
      runsActions: true,
    })
  })

  test('an overdue machine has no severities', () => {
    expect(choicesFor(SETTINGS, 'availability').email.severities).toEqual([])
  })

  test.each([
    [[], 'info', true],
    [['error'], 'error', true],
    [['error', 'warning'], 'info', false],
  ] as const)('severities %j include %s: %s', (severities, severity, expected) => {
    expect(allowsSeverity({ severities }, severity)).toBe(expected)
  })

  test.each([
    [null, [], 'info', true],
    [false, [], 'error', false],
    [true, ['error'], 'warning', false],
    [true, ['error'], 'error', true],
  ] as const)('dashboard %s with %j: %s is in the bell: %s', (always, severities, severity, expected) => {
    const choices = choicesFor(SETTINGS, 'check')
    if (choices === undefined) throw new Error('nothing is said of checks')
    expect(belongsInBell({ ...choices, dashboard: { always, severities } }, severity)).toBe(expected)
  })

  test('without a template every alert is in the bell', () => {
    expect(belongsInBell(undefined, 'info')).toBe(true)
  })

  test.each([
    [null, null, null, false],
    [false, false, false, false],
    [null, true, null, true],
    [false, null, true, true],
  ])('always: e-mail %s, text %s, dashboard %s enables alerts: %s', (email, text, alert, expected) => {
    const settings = { agent_always_email: email, agent_always_text: text, agent_always_alert: alert }
    expect(alwaysWatches(settings)).toBe(expected)
  })
})
