import { type CoreSettings, editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findDefault } from '../alerts/templates/queries.ts'
import { findDefaultPolicies } from '../policies/node-policies.ts'
import { changeCoreSettings } from './change-settings.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

export function settingsRoutes(api: Api, ctx: Context): void {
  const { db } = ctx
  const view = async (): Promise<CoreSettings> => ({
    ...(await readCoreSettings(db)),
    ...(await findDefaultPolicies(db)),
    alert_template: await findDefault(db),
  })
  route(api, getCoreSettings, view)
  route(api, editCoreSettings, async ({ body, caller }) => {
    await changeCoreSettings(ctx, caller, body)
    return view()
  })
}
