import type { Message, News, NotifiedAlert } from './message.ts'

const TEST_ALERT: NotifiedAlert = {
  id: 7,
  alert_type: 'check',
  state: 'open',
  severity: 'error',
  message: 'Disk C: has 3 % left',
  agent_id: 'agent000',
  hostname: 'PC-12',
  client_id: 1,
  client: 'Acme',
  site_id: 2,
  site: 'Basel',
  check_id: 3,
  alert_time: '2026-11-21T15:42:00.000Z',
  resolved_on: null,
  flapping: false,
  resolution: '',
}

export function testNews(alert: Partial<NotifiedAlert> = {}, kind: News['kind'] = 'opened'): News {
  return { kind, alert: { ...TEST_ALERT, ...alert } }
}

/** A message with these changes, by default with one alert. */
export function testMessage(...news: News[]): Message {
  const [first = testNews(), ...rest] = news
  return {
    delivery: 'd-1',
    installation: 'home',
    at: new Date('2026-11-21T15:43:00.000Z'),
    timeZone: 'Europe/Zurich',
    consoleUrl: 'https://muster.example',
    links: [],
    news: [first, ...rest],
  }
}
