import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { ChannelHello } from '@muster/contract/channels'
import { isAllowedVncTarget } from '@muster/rules/remote/vnc-targets'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../settings/queries.ts'

/** Why VNC may not be opened to what is asked for; undefined where it may. Nothing else is ever signed. */
export async function whyNoTarget(
  ctx: Context,
  request: ChannelHello['request'],
): Promise<ChannelEnd | undefined> {
  if (request.tool !== 'vnc') return undefined
  const { vnc_targets: lines } = await readCoreSettings(ctx.db)
  if (isAllowedVncTarget(lines, request)) return undefined
  const message = `VNC to ${request.host}:${request.port} is not allowed. Who may change the global settings can allow it there.`
  return { code: 'refused', message }
}
