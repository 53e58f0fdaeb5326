import { compileTextMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm, Match } from '@muster/rules/search/search-tree'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { ValueSource } from '../agents/values/read-values.ts'
import type { AlertsTable } from '../../platform/database/tables/alerts.ts'

type OpenAlert = Pick<Selectable<AlertsTable>, 'state' | 'severity' | 'message'>

/** The machines with an alert of a search that is not resolved: `alert:open`, `alert:error`, `alert:"disk"`. */
export async function findMachinesByAlert(db: Db, { matches }: FieldTerm): Promise<Set<string>> {
  const tests = matches.map(compileMatch)
  const alerts = await db
    .selectFrom('alerts')
    .select(['agent_id', 'state', 'severity', 'message'])
    .where('open_cause', 'is not', null)
    .where('agent_id', 'is not', null)
    .execute()
  return new Set(
    alerts.flatMap((alert) =>
      alert.agent_id !== null && tests.some((test) => test(alert)) ? alert.agent_id : [],
    ),
  )
}

function compileMatch(match: Match): (alert: OpenAlert) => boolean {
  const name = match.op === ':' ? match.value : ''
  switch (name) {
    case 'open':
      return () => true
    case 'error':
    case 'warning':
    case 'info':
      return ({ severity }) => severity === name
    case 'acknowledged':
    case 'snoozed':
      return ({ state }) => state === name
    default: {
      const fits = compileTextMatch(match)
      return ({ message }) => fits(message)
    }
  }
}

/** The number of alerts of each machine that are not resolved. */
export const ALERT_VALUES: ValueSource = {
  permission: 'can_list_alerts',
  names: ['open_alerts'],
  async read({ db }) {
    const rows = await db
      .selectFrom('alerts')
      .select('agent_id')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('open_cause', 'is not', null)
      .where('agent_id', 'is not', null)
      .groupBy('agent_id')
      .execute()
    return {
      open_alerts: new Map(
        rows.flatMap(({ agent_id, count }) => (agent_id === null ? [] : [[agent_id, Number(count)]])),
      ),
    }
  },
}
