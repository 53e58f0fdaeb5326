import {
  createAlertChannel,
  deleteAlertChannel,
  editAlertChannel,
  listAlertChannels,
  testAlertChannel,
} from '@muster/contract/api/alert-channels'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { addChannel, changeChannel, isVisible, removeChannel } from './write-channel.ts'
import { countWaiting, findChannels, noteTest } from './queries.ts'
import { testChannel } from './test-channel.ts'
import { viewChannel } from './view.ts'

/**
 * Channels send requests to any allowed address, including the server's own network: a local mail server or ticket
 * system is a normal target. So only users who may edit the server's settings may set up or test one.
 */
export function alertChannelsRoutes(api: Api, ctx: Context): void {
  route(api, listAlertChannels, async ({ caller }) => {
    const waiting = await countWaiting(ctx.db)
    return (await findChannels(ctx.db))
      .filter((row) => isVisible(caller, row))
      .map((row) => viewChannel(row, waiting.get(row.id) ?? 0))
  })
  route(api, createAlertChannel, async ({ body, caller }) =>
    viewChannel(await addChannel(ctx, caller, body), 0),
  )
  route(api, editAlertChannel, async ({ params: { id }, body: { modified, ...form }, caller }) => {
    const row = await changeChannel(ctx, caller, { id, modified, form })
    return viewChannel(row, (await countWaiting(ctx.db)).get(id) ?? 0)
  })
  route(api, deleteAlertChannel, async ({ params, caller }) => {
    await removeChannel(ctx, caller, params.id)
    return null
  })
  route(api, testAlertChannel, async ({ body, caller }) => {
    const outcome = await testChannel(ctx, caller, body)
    if (outcome.ok && (await noteTest(ctx.db, ctx.now())))
      ctx.emit({ type: 'alert_channel.changed', ids: [] })
    return outcome
  })
}
