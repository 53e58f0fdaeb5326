import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  buildAgent,
  givenInstalledAgent,
  givenKiller,
  type InstalledAgent,
  type Killer,
  lastVersion,
  manifestOf,
  programOf,
  serveProgram,
  updatesOf,
} from '../testing/given-installed.ts'

/** Agents that are killed at the same time. */
const AT_ONCE = 6

beforeAll(buildAgent)

const isRunning = (agent: InstalledAgent, version: string) =>
  updatesOf(agent).some((report) => report.state === 'confirmed' && report.version === version) &&
  lastVersion(agent) === version &&
  agent.current()?.state === 'confirmed' &&
  agent.current()?.current.version === version

/** Updates an agent that is killed before the change `at` of its program folder, and returns this change, if there is one. */
async function updateWithKill(
  agent: InstalledAgent,
  killer: Killer,
  at: number,
): Promise<string | undefined> {
  const { server } = agent
  const before = lastVersion(agent)
  const version = `99.0.${at}`
  const program = programOf(version)
  const manifest = manifestOf(program, { version })
  serveProgram(server, program, version)
  killer.arm(at)
  const { links } = server
  agent.order(manifest)
  // The last change removes what came before the version before.
  const isOver = () => isRunning(agent, version) && readdirSync(join(agent.folder, 'versions')).length <= 2
  await server.until(() => killer.killedBefore() !== undefined || isOver())
  if (killer.killedBefore() === undefined) return undefined
  await server.untilUp(links + 1)
  // The server repeats its order when the version that returns is the old one.
  await server.until(
    () =>
      server.socket !== undefined &&
      (agent.current()?.state === 'trial' || lastVersion(agent) === before || isRunning(agent, version)),
  )
  if (lastVersion(agent) === before && agent.current()?.state === 'confirmed') agent.order(manifest)
  await server.until(() => isRunning(agent, version))
  return killer.killedBefore()
}

/** One agent, updated again and again: killed before every `AT_ONCE`th change, until an update has no more. */
async function listKills(first: number): Promise<string[]> {
  const killer = givenKiller()
  const agent = await givenInstalledAgent(killer.env)
  const kills: string[] = []
  for (let at = first; ; at += AT_ONCE) {
    const killed = await updateWithKill(agent, killer, at)
    if (killed === undefined) return kills
    kills.push(killed)
  }
}

test('an agent that is killed during an update works afterwards, at each change of its program folder', async () => {
  const kills = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => listKills(i + 1)))
  expect(kills.flat().length).toBeGreaterThanOrEqual(20)
  expect([...new Set(kills.flat())].toSorted()).toEqual(CHANGES.toSorted())
})

/** Each kind of change of the program folder by an update. */
const CHANGES = [
  'rmSync versions/VERSION.new',
  'mkdirSync versions/VERSION.new',
  'openSync versions/VERSION.new/agent.mjs',
  'writeSync versions/VERSION.new/agent.mjs',
  'fsyncSync versions/VERSION.new/agent.mjs',
  'closeSync versions/VERSION.new/agent.mjs',
  'renameSync versions/VERSION.new',
  'openSync current.json.new',
  'writeSync current.json.new',
  'fsyncSync current.json.new',
  'closeSync current.json.new',
  'renameSync current.json.new',
  'rmSync versions/VERSION',
]
