import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'

/** Returns why the caller may not open a shell of the server, or undefined. */
export async function checkWebTerminal(ctx: Context, caller: Caller): Promise<ChannelEnd | undefined> {
  if (!caller.isSuperuser)
    return { code: 'not_allowed', message: 'Only a superuser may open the web terminal.' }
  const { enable_server_webterminal: isOn } = await readCoreSettings(ctx.db)
  if (isOn) return undefined
  const message = 'The web terminal is switched off. A superuser can switch it on in the global settings.'
  return { code: 'not_allowed', message }
}
