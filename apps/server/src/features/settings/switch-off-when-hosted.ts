import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/change-row.ts'
import { audit } from '../audit/write-audit.ts'
import {
  lockCoreSettings,
  readCoreSettings,
  SERVER_SWITCHES,
  writeCoreSettings,
} from '../../platform/config/core-settings.ts'

/** Turns off access to the server's own machine if it was on before the server became hosted. */
export async function switchOffWhenHosted(ctx: Context): Promise<void> {
  if (!ctx.config.hosted) return
  await ctx.transaction(async (tx, emit) => {
    await lockCoreSettings(tx)
    const before = await readCoreSettings(tx)
    const on = SERVER_SWITCHES.filter((name) => before[name])
    if (on.length === 0) return
    const at = ctx.now()
    const off = { enable_server_scripts: false, enable_server_webterminal: false }
    await writeCoreSettings(tx, { ...before, ...off, modified: laterThan(before.modified, at) })
    await audit(tx, {
      caller: { username: 'server', source: '' },
      action: 'modify',
      object_type: 'coresettings',
      message: 'Switched off scripts on the server and the web terminal: the server is hosted',
      after: off,
      at,
      emit,
    })
    emit({ type: 'settings.changed', ids: [...on] })
  })
}
