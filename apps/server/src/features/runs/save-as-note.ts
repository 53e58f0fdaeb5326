import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { audit } from '../audit/write-audit.ts'
import { findOutput, type HistoryRow, viewResult } from './queries.ts'

/** Saves the output of ended runs as notes of their machines, if requested. */
export async function saveOutputAsNotes(
  tx: Db,
  emit: (event: Event) => void,
  runs: HistoryRow[],
): Promise<void> {
  for (const row of runs) {
    if (row.save_as_note === 0 || row.finished_at === null) continue
    const { stdout, stderr } = viewResult(row, await findOutput(tx, row.id, 0))
    const note = `${row.command}\n\n${stdout}${stderr}`.trim()
    const { pk } = await tx
      .insertInto('agent_notes')
      .values({ agent_id: row.agent_id, username: row.username, note, entry_time: row.finished_at })
      .returning('pk')
      .executeTakeFirstOrThrow()
    await audit(tx, {
      caller: { username: row.username, source: '' },
      action: 'add',
      object_type: 'note',
      message: `Saved the output of "${row.command}" as a note`,
      after: { note: pk, history: row.id },
      agent: { agent_id: row.agent_id },
      emit,
    })
    emit({ type: 'note.changed', ids: [pk], agent_ids: [row.agent_id] })
  }
}
