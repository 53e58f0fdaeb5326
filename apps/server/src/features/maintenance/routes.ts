import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  editMaintenanceWindow,
  endMaintenanceWindow,
  listMaintenanceWindows,
  listOpenMaintenance,
} from '@muster/contract/api/maintenance'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findOpenMaintenance } from './open-maintenance.ts'
import { listWindows } from './view.ts'
import { addWindow, changeWindow, endWindow, removeWindow } from './write-window.ts'

export function maintenanceRoutes(api: Api, ctx: Context): void {
  route(api, listMaintenanceWindows, ({ caller }) => listWindows(ctx.db, caller, ctx.now()))
  route(api, listOpenMaintenance, ({ caller }) => findOpenMaintenance(ctx.db, { caller, now: ctx.now() }))
  route(api, createMaintenanceWindow, ({ body, caller }) => addWindow(ctx, caller, body))
  route(api, editMaintenanceWindow, ({ params, body, caller }) =>
    changeWindow({ ctx, caller, id: params.id }, body),
  )
  route(api, endMaintenanceWindow, ({ params, caller }) => endWindow({ ctx, caller, id: params.id }))
  route(api, deleteMaintenanceWindow, async ({ params, caller }) => {
    await removeWindow({ ctx, caller, id: params.id })
    return null
  })
}
