import { getMe, savePreferences } from '@muster/contract/api/users'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { countPasskeys } from './passkeys/queries.ts'
import { isTotpDemanded } from './sessions/find-caller.ts'
import { countRecoveryCodes } from './sessions/recovery-codes.ts'
import { findTotpState, savePreferenceChanges, viewMe } from './queries.ts'

export function usersRoutes(api: Api, ctx: Context): void {
  route(api, getMe, async ({ caller }) => {
    const state = await findTotpState(ctx.db, caller.userId)
    return viewMe(caller, {
      totp: state.totp_confirmed === 1,
      totpMayWait: !isTotpDemanded(ctx, state.totp_required),
      passkeys: await countPasskeys(ctx.db, caller.userId),
      recoveryCodes: await countRecoveryCodes(ctx.db, caller.userId),
      minPasswordLength: (await readCoreSettings(ctx.db)).password_min_length,
    })
  })

  route(api, savePreferences, async ({ caller, body }) =>
    ctx.transaction(async (tx, emit) => {
      const saved = await savePreferenceChanges(tx, caller.userId, body)
      emit({ type: 'user.changed', ids: [caller.userId] })
      return saved
    }),
  )
}
