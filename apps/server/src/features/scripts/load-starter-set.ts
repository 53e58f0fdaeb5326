import type { Event } from '@muster/contract/events'
import { readFile } from 'node:fs/promises'
import { ScriptDetail, ScriptShell } from '@muster/contract/api/scripts'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { deleteScriptRow, type ScriptRow, updateScript } from './queries.ts'
import { type ScriptColumns, toColumns } from './script-columns.ts'

/**
 * Updates the built-in scripts to this version of Muster: adds, changes and deletes them. Favourites and hidden scripts
 * are kept.
 */
export async function loadStarterSet(ctx: Context, scripts?: readonly StarterScript[]): Promise<void> {
  const wanted = scripts ?? (await readStarterSet())
  await ctx.transaction(async (tx, emit) => {
    const rows = await tx.selectFrom('scripts').selectAll().where('script_type', '=', 'builtin').execute()
    const byKey = new Map(rows.map((row) => [row.builtin_key, row]))
    const kept = new Set(wanted.map(({ filename }) => filename))
    for (const row of rows) {
      if (row.builtin_key === null || kept.has(row.builtin_key)) continue
      const remove = () => deleteScriptRow(tx, row.id)
      await ctx.hooks.removeScript({ ctx, tx, emit }, { id: row.id, at: ctx.now(), remove })
      emit({ type: 'script.changed', ids: [row.id] })
    }
    for (const script of wanted) {
      const before = byKey.get(script.filename)
      if (before === undefined) await addBuiltIn(tx, emit, script, ctx.now())
      else await changeBuiltIn(ctx, tx, emit, { before, script })
    }
  })
}

type Emit = (event: Event) => void

async function addBuiltIn(tx: Db, emit: Emit, script: StarterScript, at: Date): Promise<void> {
  const name = await freeName(tx, script.name)
  const row = await tx
    .insertInto('scripts')
    .values({
      // Every part is given.
      ...(toColumns({
        ...script,
        name,
        env_vars: [],
        parameters: [],
        syntax: '',
        favorite: false,
        hidden: false,
        run_as_user: false,
      }) as ScriptColumns),
      script_type: 'builtin',
      builtin_key: script.filename,
      created_at: at.toISOString(),
      modified: at.toISOString(),
    })
    // Another server of the same database starts at this moment.
    .onConflict((conflict) => conflict.column('builtin_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row !== undefined) emit({ type: 'script.changed', ids: [row.id] })
}

async function changeBuiltIn(
  ctx: Context,
  tx: Db,
  emit: Emit,
  { before, script }: { before: ScriptRow; script: StarterScript },
): Promise<void> {
  const { name, ...parts } = script
  const hasOldName = before.name === name || before.name === besideOthers(name)
  const columns = toColumns(hasOldName ? parts : { ...parts, name: await freeName(tx, name) })
  const stored = new Map<string, unknown>(Object.entries(before))
  if (Object.entries(columns).every(([column, value]) => stored.get(column) === value)) return
  await updateScript(tx, before.id, { ...columns, modified: ctx.now().toISOString() })
  await ctx.hooks.scriptChanged(tx, emit, before.id)
  emit({ type: 'script.changed', ids: [before.id] })
}

/** A user's script with the same name keeps its name. */
async function freeName(tx: Db, name: string): Promise<string> {
  const taken = await tx.selectFrom('scripts').select('id').where('name', '=', name).executeTakeFirst()
  return taken === undefined ? name : besideOthers(name)
}

function besideOthers(name: string): string {
  return `${name} (built in)`
}

const FOLDER = new URL('../../../scripts/', import.meta.url)

const { shape } = ScriptDetail
const Index = z.object({
  scripts: z.array(
    z.object({
      /** Name of the file in the folder. Never change it: it identifies the script. */
      filename: z.string().regex(/^[a-z0-9-]+\.(sh|py|ps1)$/),
      name: shape.name,
      description: shape.description,
      category: shape.category,
      shell: ScriptShell,
      supported_platforms: shape.supported_platforms,
      args: shape.args,
      default_timeout: shape.default_timeout,
    }),
  ),
})
type StarterScript = z.infer<typeof Index>['scripts'][number] & { script_body: string }

/** The built-in scripts in apps/server/scripts. */
export async function readStarterSet(): Promise<StarterScript[]> {
  const { scripts } = Index.parse(JSON.parse(await readFile(new URL('index.json', FOLDER), 'utf8')))
  return Promise.all(
    scripts.map(async (script) => ({
      ...script,
      script_body: await readFile(new URL(script.filename, FOLDER), 'utf8'),
    })),
  )
}
