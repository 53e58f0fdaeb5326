import { warnOfPlainHttp } from '../login.ts'
import type { Context } from '../output.ts'
import { checkKey, parseServer, resolvePath } from '../profiles.ts'
import { readSecret } from '../prompt.ts'
import { finishImport } from './apply.ts'
import { type OldServer, OldServerError, openOldServer } from './old-server.ts'
import { planClients, planFields, planNodeSettings } from './plan-clients.ts'
import { planInstallers } from './plan-installers.ts'
import { planMachines } from './plan-machines.ts'
import { findUsedScripts, planPolicies } from './plan-policies.ts'
import { findMovedScripts, planKeys, planScripts, planSnippets } from './plan-scripts.ts'
import { planDefaultTemplate, planTemplates } from './plan-templates.ts'
import { planUsers } from './plan-users.ts'
import { type Present, readCode, readPresent } from './present.ts'
import { indexByName, Planner } from './steps.ts'
import { type OldData, type OldScript, readScriptBody, readTactical } from './tactical.ts'

export interface TacticalOptions {
  url: string
  /** Without one, it is read from standard input. */
  key?: string
  apply: boolean
  /** Writes a script that installs the agent into this folder, for each site. */
  scripts?: string
}

/** Moves the content of a Tactical RMM server. Returns the exit code. */
export async function importTactical(
  context: Context,
  { url: given, key: givenKey, apply, scripts }: TacticalOptions,
  stop: AbortController,
): Promise<number> {
  const url = parseServer(given)
  warnOfPlainHttp(url)
  const key = checkKey(givenKey ?? (await readSecret(`API key for ${url}: `, stop)))
  const old = openOldServer({ url, key, signal: context.signal })
  const planner = new Planner()
  const data = await readTactical(old, planner)
  const present = await readPresent(context.client)
  planFields(planner, data.fields, present.fields)
  planClients(planner, data.clients, present.clients)
  await addScripts({ context, old, planner }, data, present)
  planSnippets(planner, data.snippets, present.snippets)
  planKeys(planner, data.keys, present.keys)
  planTemplates(planner, data.templates, present.templates)
  planDefaultTemplate(planner, data.settings.alert_template, present.templates)
  planNodeSettings(planner, data, present)
  planPolicies(planner, data, present.policies)
  planUsers(planner, data, present)
  const waiting = planMachines(planner, data, present)
  if (scripts !== undefined) planInstallers(planner, resolvePath(scripts), waiting)
  return finishImport(context, planner.steps, apply)
}

async function addScripts(
  { context, old, planner }: { context: Context; old: OldServer; planner: Planner },
  data: OldData,
  present: Present,
): Promise<void> {
  const bodies = new Map<number, string>()
  const moved: OldScript[] = []
  for (const script of findMovedScripts(data.scripts, findUsedScripts(data))) {
    try {
      bodies.set(script.id, await readScriptBody(old, script.id))
      moved.push(script)
    } catch (error) {
      // Without a response, none of the others would come either.
      if (!(error instanceof OldServerError) || error.status === 0) throw error
      planner.leaveOut({ kind: 'script', name: script.name, reason: error.message })
    }
  }
  const findScript = indexByName(present.scripts, ({ name }) => name)
  const same = moved.flatMap(({ name }) => findScript(name)?.id ?? [])
  const presentBodies = await readCode(context.client, same)
  planScripts(planner, moved, { present: present.scripts, bodies, presentBodies })
}
