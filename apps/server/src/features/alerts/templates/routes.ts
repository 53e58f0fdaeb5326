import {
  createAlertTemplate,
  deleteAlertTemplate,
  editAlertTemplate,
  getAlertTemplate,
  getRelatedToTemplate,
  listAlertTemplates,
  previewAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { findApprovalStates } from '../../scripts/server-approval.ts'
import { addTemplate, changeTemplate, removeTemplate, requireTemplate } from './write-template.ts'
import { previewTemplate } from './preview-template.ts'
import { findAssigned, findDefault, findScriptNames, findTemplates, type TemplateRow } from './queries.ts'
import { setDefault } from './set-default.ts'
import { readTemplate } from './stored-template.ts'
import { type Assigned, viewRelated, viewTemplate } from './view.ts'

export function alertTemplatesRoutes(api: Api, ctx: Context): void {
  route(api, listAlertTemplates, async ({ caller }) => view(await findTemplates(ctx.db), caller))
  route(api, createAlertTemplate, async ({ body, caller }) =>
    viewOne(await addTemplate(ctx, caller, body), caller),
  )
  route(api, setDefaultTemplate, async ({ body, caller }) => {
    await setDefault(ctx, caller, body.alert_template)
    return { alert_template: await findDefault(ctx.db) }
  })
  route(api, previewAlertTemplate, ({ query, caller }) => previewTemplate(ctx, caller, query))
  route(api, getAlertTemplate, async ({ params, caller }) =>
    viewOne(await requireTemplate(ctx.db, params.id), caller),
  )
  route(api, editAlertTemplate, async ({ params: { id }, body: { modified, ...changes }, caller }) =>
    viewOne(await changeTemplate(ctx, caller, { id, modified, changes }), caller),
  )
  route(api, deleteAlertTemplate, async ({ params, caller }) => {
    await removeTemplate(ctx, caller, params.id)
    return null
  })
  route(api, getRelatedToTemplate, async ({ params, caller }) => {
    await requireTemplate(ctx.db, params.id)
    const assigned = await findAll(caller)
    return viewRelated(params.id, { assigned, defaultId: await findDefault(ctx.db) })
  })

  async function findAll(caller: Caller): Promise<Assigned> {
    return {
      ...(await findAssigned(ctx.db, caller)),
      policies: await ctx.hooks.findNamingPolicies(ctx.db, caller),
    }
  }

  async function view(rows: TemplateRow[], caller: Caller) {
    const scripts = rows
      .map(readTemplate)
      .flatMap(({ settings }) => [settings.action, settings.resolved_action])
    const around = {
      approvals: await findApprovalStates(ctx),
      defaultId: await findDefault(ctx.db),
      assigned: await findAll(caller),
      scripts: await findScriptNames(
        ctx.db,
        scripts.filter((id) => id !== null),
      ),
    }
    return rows.map((row) => viewTemplate(row, around))
  }

  async function viewOne(row: TemplateRow, caller: Caller) {
    const [template] = await view([row], caller)
    if (template === undefined) throw new Error('the template that was just read does not exist')
    return template
  }
}
