import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { changeCoreSettings } from './change-settings.ts'
import { readCoreSettings } from './queries.ts'

export function settingsRoutes(api: Api, ctx: Context): void {
  route(api, getCoreSettings, () => readCoreSettings(ctx.db))
  route(api, editCoreSettings, ({ body, caller }) => changeCoreSettings(ctx, caller, body))
}
