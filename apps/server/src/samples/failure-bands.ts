import type { CheckSamples } from '@muster/contract/checks/check-samples'
import type { Db } from '../platform/database/database.ts'
import type { Range } from './read-samples.ts'

type Band = CheckSamples['failures'][number]

/** A check that flaps for weeks is drawn as far back as so many changes. */
const MOST_TRANSITIONS = 5000

/** When a check failed between two moments; bands that begin or end outside have their real ends. */
export async function findBands(db: Db, checkId: number, { from, to }: Range): Promise<Band[]> {
  const transitions = () =>
    db.selectFrom('check_transitions').select(['at', 'severity']).where('check_id', '=', checkId)
  const before = await transitions()
    .where('at', '<', from)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  const within = await transitions()
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_TRANSITIONS)
    .execute()
  const after = await transitions().where('at', '>', to).orderBy('at').orderBy('id').limit(1).execute()
  const all = [...before, ...within.toReversed(), ...after]
  return all.flatMap(({ at, severity }, index) => {
    const next = all[index + 1]
    if (severity === null || at > to || next?.at === at) return []
    return [{ from: at, to: next?.at ?? null, severity }]
  })
}
