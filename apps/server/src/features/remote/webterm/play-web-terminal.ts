import type { RecordingPage } from '@muster/contract/api/remote'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { readRecording } from '../read-recording.ts'
import { findWebTerminal } from './queries.ts'

/** A page of what a shell of the server showed; the first one leaves a row in the audit log. */
export async function playWebTerminal(
  ctx: Context,
  { caller, id, after }: { caller: Caller; id: string; after: number },
): Promise<RecordingPage> {
  const row = caller.isSuperuser ? await findWebTerminal(ctx.db, id) : undefined
  if (row === undefined) throw new AppError('not_found', 'There is no such session.')
  if (row.recorded === 0) throw new AppError('not_found', 'The recording of this session was removed.')
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
