import type { RecordingPage } from '@muster/contract/api/remote'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { requireRow } from '../../../platform/database/change-row.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { readRecording } from '../read-recording.ts'
import { findWebTerminal } from './queries.ts'

/** A page of a recorded shell of the server. The first page writes an audit row. */
export async function playWebTerminal(
  ctx: Context,
  { caller, id, after }: { caller: Caller; id: string; after: number },
): Promise<RecordingPage> {
  const row = requireRow(caller.isSuperuser ? await findWebTerminal(ctx.db, id) : undefined, 'session')
  if (row.recorded === 0) throw new AppError('not_found', 'The recording of this session has expired.')
  const page = await readRecording(ctx, { parts: [row], startedAt: row.started_at, after })
  if (after > 0) return page
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'view',
      object_type: 'webterminal',
      message: `Viewed the recording of the web terminal of ${row.username} on "${row.host}"`,
      after: { session: id },
      emit,
    }),
  )
  return page
}
