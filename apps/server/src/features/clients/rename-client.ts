import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { updateClientName } from './queries.ts'
import { requireWholeClient } from './require-node.ts'

export function renameClient(
  ctx: Context,
  caller: Caller,
  { id, name }: { id: number; name: string },
): Promise<void> {
  const sentence = `There is already a client named "${name}".`
  return refuseTaken({ field: 'client.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, id, caller)
      if (client.name === name) return
      await updateClientName(tx, id, name)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'client',
        message: `Renamed the client "${client.name}" to "${name}"`,
        before: { name: client.name },
        after: { name },
        client: { id },
        at: ctx.now(),
        emit,
      })
      emit({ type: 'client.changed', ids: [id] })
    }),
  )
}
