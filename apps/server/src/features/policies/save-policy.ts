import type { createPolicy, editPolicy, PolicyDocument } from '@muster/contract/api/policies'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { NO_CONTENT, type PolicyContent } from '@muster/contract/policies/policy-content'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { laterThan, refuseTaken } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { confirmPlan, numberContent } from './plan-save.ts'
import { loadPolicySet, readContent } from './policy-set.ts'
import { deletePolicyRow, findVersions, insertPolicy, updatePolicy } from './queries.ts'
import { requirePolicy, requireWholePolicy } from './require-policy.ts'
import { documentForAudit, emitTargets, openSave, type Save, storeSave } from './store-save.ts'

type Body = Parsed<typeof createPolicy>['body']

const EMPTY: Omit<PolicyDocument, 'name'> = {
  desc: '',
  active: false,
  enforced: false,
  content: NO_CONTENT,
  targets: [],
  excluded_clients: [],
  excluded_sites: [],
  excluded_agents: [],
}

/** Returns the id of the policy, like all functions here. */
export async function addPolicy(ctx: Context, caller: Caller, body: Body): Promise<number> {
  const state = await confirmPlan(ctx, caller, {
    policy: partsOver(newDocument(body), body),
    plan: body.plan,
  })
  return refuseTaken(takenName(body.name), () =>
    ctx.transaction(async (tx, emit) => {
      const save = await openSave({ ctx, tx, emit, caller }, state)
      const copied = body.copyId === undefined ? undefined : save.set.policies.get(body.copyId)
      if (body.copyId !== undefined) await requirePolicy(tx, caller, save.set, body.copyId)
      const name = await claimName(tx, { table: 'policies', name: body.name, taken: takenName(body.name) })
      const { document, last } = numberContent(
        { ...partsOver(newDocument(body, copied?.document), body), name },
        copied?.row?.last_number ?? 0,
      )
      const at = ctx.now().toISOString()
      const { id } = await insertPolicy(tx, {
        ...columnsOf(document),
        last_number: last,
        version: 1,
        created_by: caller.username,
        created_at: at,
        modified: at,
        modified_by: caller.username,
      })
      return storeSave(save, {
        id,
        before: undefined,
        document,
        version: 1,
        reason: copied === undefined ? body.reason : `Copied from "${copied.document.name}"`,
      })
    }),
  )
}

export async function changePolicy(
  ctx: Context,
  caller: Caller,
  { id, body }: { id: number; body: Parsed<typeof editPolicy>['body'] },
): Promise<number> {
  const known = (await loadPolicySet(ctx.db)).policies.get(id)?.document
  const document = known && partsOver(known, body)
  const state = await confirmPlan(ctx, caller, { id, policy: document, plan: body.plan })
  return refuseTaken(takenName(body.name ?? ''), () =>
    ctx.transaction(async (tx, emit) => {
      const save = await openSave({ ctx, tx, emit, caller }, state)
      const policy = await requireWholePolicy(tx, caller, save.set, id)
      if (body.modified !== undefined && body.modified !== policy.row.modified) {
        throw new AppError(
          'changed_meanwhile',
          `"${policy.document.name}" was changed by ${policy.row.modified_by}. Reload it and try again.`,
        )
      }
      return writeChange(save, policy, { ...body, document: partsOver(policy.document, body) })
    }),
  )
}

/** Restores an earlier version of a policy. Results of its checks are kept. */
export async function revertPolicy(
  ctx: Context,
  caller: Caller,
  { id, version, plan }: { id: number; version: number; plan: string | undefined },
): Promise<number> {
  const planned = (await findVersions(ctx.db, id)).find((one) => one.version === version)
  const state = await confirmPlan(ctx, caller, { id, policy: planned && readDocument(planned), plan })
  return refuseTaken(takenName(''), () =>
    ctx.transaction(async (tx, emit) => {
      const save = await openSave({ ctx, tx, emit, caller }, state)
      const policy = await requireWholePolicy(tx, caller, save.set, id)
      const found = (await findVersions(tx, id)).find((one) => one.version === version)
      if (found === undefined)
        throw new AppError('not_found', `The policy has no version ${version}. Reload its history.`)
      return writeChange(save, policy, {
        document: readDocument(found),
        reason: `Reverted to version ${version}`,
      })
    }),
  )
}

/** Saves another document of a policy as its next version. */
export async function writeChange(
  save: Save,
  policy: Awaited<ReturnType<typeof requireWholePolicy>>,
  change: { document: PolicyDocument; reason: string },
): Promise<number> {
  const { ctx, tx, caller } = save
  const { row } = policy
  const { name: wanted } = change.document
  const before = policy.document
  const name = await claimName(tx, { table: 'policies', name: wanted, taken: takenName(wanted), before: row })
  const { document, last } = numberContent({ ...change.document, name }, row.last_number)
  const version = row.version + 1
  await updatePolicy(tx, row.id, {
    ...columnsOf(document),
    last_number: last,
    version,
    modified: laterThan(row.modified, ctx.now()),
    modified_by: caller.username,
  })
  return storeSave(save, { id: row.id, before, document, version, reason: change.reason })
}

function newDocument({ name }: Body, copied?: PolicyDocument): PolicyDocument {
  return { ...EMPTY, content: copied?.content ?? NO_CONTENT, name }
}

function readDocument({ document }: { document: string }): PolicyDocument {
  // Stored by store-save.ts with the contract's schema.
  const stored = JSON.parse(document) as PolicyDocument
  return { ...stored, content: readContent(JSON.stringify(stored.content)) }
}

function columnsOf({ name, desc, active, enforced, content }: PolicyDocument) {
  return {
    name,
    description: desc,
    active: active ? (1 as const) : (0 as const),
    enforced: enforced ? (1 as const) : (0 as const),
    content: JSON.stringify(content),
  }
}

type Parts = Partial<{
  [Name in keyof Omit<PolicyDocument, 'content'>]: PolicyDocument[Name] | undefined
}> & {
  content?: Body['content']
  alert_template?: number | null | undefined
}

/** The given parts replace the old ones. Omitted kinds of content stay. */
function partsOver(document: PolicyDocument, parts: Parts): PolicyDocument {
  return {
    name: parts.name ?? document.name,
    desc: parts.desc ?? document.desc,
    active: parts.active ?? document.active,
    enforced: parts.enforced ?? document.enforced,
    content: contentOver(document.content, { ...parts.content, ...templateOf(parts) }),
    targets: parts.targets ?? document.targets,
    excluded_clients: parts.excluded_clients ?? document.excluded_clients,
    excluded_sites: parts.excluded_sites ?? document.excluded_sites,
    excluded_agents: parts.excluded_agents ?? document.excluded_agents,
  }
}

function templateOf({ alert_template }: Parts): Body['content'] {
  return alert_template === undefined ? {} : { alert_template }
}

function contentOver(content: PolicyContent, parts: Body['content']): PolicyContent {
  const given = Object.entries(parts ?? {}).filter(([, value]) => value !== undefined)
  // Kinds of the same schema, as many as were sent.
  return { ...content, ...(Object.fromEntries(given) as Partial<PolicyContent>) }
}

function takenName(name: string): { field: string; sentence: string } {
  return {
    field: 'name',
    sentence: `A policy named ${name === '' ? 'like this' : `"${name}"`} already exists.`,
  }
}

/** Deletes a policy with its history. Machines lose its items after the commit. */
export async function removePolicy(
  ctx: Context,
  caller: Caller,
  { id, plan }: { id: number; plan: string | undefined },
): Promise<void> {
  const state = await confirmPlan(ctx, caller, { id, plan })
  return ctx.transaction(async (tx, emit) => {
    const { set } = await openSave({ ctx, tx, emit, caller }, state)
    const { document } = await requireWholePolicy(tx, caller, set, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'policy',
      message: `Deleted the policy "${document.name}"`,
      before: documentForAudit(document, set),
      at: ctx.now(),
      emit,
    })
    await deletePolicyRow(tx, id)
    emit({ type: 'policy.changed', ids: [id] })
    emitTargets(emit, document.targets)
  })
}
