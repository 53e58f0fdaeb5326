import type { Db } from '../../platform/database/database.ts'
import type { Listed, Place } from './place-list.ts'

/** Gives the policies of a place their order. */
export async function movePlace(tx: Db, place: Place, order: readonly Listed[]): Promise<void> {
  for (const [index, { id, monitoring_type }] of order.entries()) {
    await tx
      .updateTable('policy_targets')
      .set({ position: index + 1 })
      .where('policy_id', '=', id)
      .where('level', '=', place.level)
      .$if(place.level === 'client', (query) => query.where('client_id', '=', Number(idOf(place))))
      .$if(place.level === 'site', (query) => query.where('site_id', '=', Number(idOf(place))))
      .$if(place.level === 'agent', (query) => query.where('agent_id', '=', idOf(place)))
      .where('monitoring_type', monitoring_type === null ? 'is' : '=', monitoring_type)
      .execute()
  }
}

function idOf(place: Place): string {
  return 'id' in place ? `${place.id}` : ''
}
