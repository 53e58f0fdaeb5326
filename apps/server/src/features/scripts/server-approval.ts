import { createHash } from 'node:crypto'
import type { ScriptApproval, ServerApproval } from '@muster/contract/api/scripts'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { ServerScriptApprovalsTable } from '../../platform/database/tables/scripts.ts'
import { type Caller, mayDo, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { loadSnippets } from './expand-script.ts'
import type { ScriptRow } from './queries.ts'
import { requireLockedScript, requireScript } from './write-script.ts'

/**
 * A script on the server has the rights of the server, so it runs only in a version approved by a user with
 * can_run_server_scripts: the shell and the code including snippets. Saving the script or one of its snippets creates
 * another version, which waits for approval. The compared version is the one that runs: both are read in one
 * transaction.
 */

type Approval = Selectable<ServerScriptApprovalsTable>

export interface ServerVersion {
  shell: ScriptRow['shell']
  /** Including snippets. */
  code: string
}

type TxContext = { ctx: Context; tx: Db; emit: (event: Event) => void }

/** The version that would run on the server now. */
export async function readServerVersion(db: Db, script: ScriptRow): Promise<ServerVersion> {
  const expand = await loadSnippets(db)
  return { shell: script.shell, code: expand(script.script_body) }
}

export function findApproval(db: Db, scriptId: number): Promise<Approval | undefined> {
  return db
    .selectFrom('server_script_approvals')
    .selectAll()
    .where('script_id', '=', scriptId)
    .executeTakeFirst()
}

export function isApproved(version: ServerVersion, approval: Approval | undefined): boolean {
  return approval?.shell === version.shell && approval.code === version.code
}

/** Approval states of the scripts that alert templates run on the server. */
export async function findApprovalStates({
  db,
  hooks,
}: Pick<Context, 'db' | 'hooks'>): Promise<Map<number, ServerApproval>> {
  const ids = [...(await hooks.findServerScripts(db)).keys()]
  if (ids.length === 0) return new Map()
  const expand = await loadSnippets(db)
  const rows = await db
    .selectFrom('scripts')
    .leftJoin('server_script_approvals as approved', 'approved.script_id', 'scripts.id')
    .select([
      'scripts.id',
      'scripts.shell',
      'script_body',
      'approved.shell as approved_shell',
      'approved.code',
    ])
    .where('scripts.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ id, shell, script_body, approved_shell, code }) => [
      id,
      approved_shell === shell && code === expand(script_body) ? 'approved' : 'waiting',
    ]),
  )
}

export async function viewApproval({ db, hooks }: Context, scriptId: number): Promise<ScriptApproval> {
  const version = await readServerVersion(db, await requireScript(db, scriptId))
  const approval = await findApproval(db, scriptId)
  const templates = (await hooks.findServerScripts(db)).get(scriptId) ?? []
  return {
    state: templates.length === 0 ? null : isApproved(version, approval) ? 'approved' : 'waiting',
    approved: approval
      ? {
          shell: approval.shell,
          code: approval.code,
          username: approval.approved_by,
          approved_at: approval.approved_at,
        }
      : null,
    current: { ...version, hash: hashOf(version) },
    templates,
  }
}

/** Approves the stored version. `hash`: of the version that the caller has read. */
export function approveScriptVersion(
  ctx: Context,
  caller: Caller,
  { id, hash }: { id: number; hash: string },
): Promise<void> {
  refuseLimited(caller, 'Scripts on the server')
  return ctx.transaction(async (tx, emit) => {
    const script = await requireLockedScript(tx, id)
    const version = await readServerVersion(tx, script)
    if (hashOf(version) !== hash)
      throw new AppError(
        'changed_meanwhile',
        `"${script.name}" or one of its snippets has changed. Reload it before you approve it.`,
      )
    await approve({ ctx, tx, emit }, caller, script)
  })
}

/**
 * Approves scripts that an alert template runs on the server for the first time: configuring the action approves the
 * script as it is. Later versions wait, even if the template is saved again.
 */
export async function approveFirstUse(
  txContext: TxContext,
  caller: Caller,
  form: Record<'action' | 'resolved_action', number | null> &
    Record<'action_type' | 'resolved_action_type', string | null>,
): Promise<void> {
  for (const kind of ['action', 'resolved_action'] as const) {
    const id = form[kind]
    if (id === null || form[`${kind}_type`] !== 'server' || !mayDo(caller, 'can_run_server_scripts')) continue
    const script = await requireLockedScript(txContext.tx, id)
    if ((await findApproval(txContext.tx, id)) === undefined) await approve(txContext, caller, script)
  }
}

async function approve({ ctx, tx, emit }: TxContext, caller: Caller, script: ScriptRow): Promise<void> {
  const before = await findApproval(tx, script.id)
  const version = await readServerVersion(tx, script)
  if (isApproved(version, before)) return
  const at = ctx.now()
  const row = { ...version, approved_by: caller.username, approved_at: at.toISOString() }
  await tx
    .insertInto('server_script_approvals')
    .values({ script_id: script.id, ...row })
    .onConflict((conflict) => conflict.column('script_id').doUpdateSet(row))
    .execute()
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: 'script',
    message: `Approved the script "${script.name}" to run on the server`,
    ...(before === undefined ? {} : { before: { shell: before.shell, code: before.code } }),
    after: version,
    at,
    emit,
  })
  emit({ type: 'script.changed', ids: [script.id] })
}

function hashOf({ shell, code }: ServerVersion): string {
  return createHash('sha256').update(`${shell}\n${code}`).digest('hex')
}
