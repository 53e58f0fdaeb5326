import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  buildAgent,
  givenInstalledAgent,
  type InstalledAgent,
  lastVersion,
  manifestOf,
  NEXT_VERSION,
  programOf,
  serveProgram,
  type Update,
  updatesOf,
} from '../testing/given-installed.ts'
import { givenFolder } from '../testing/given.ts'
import { AGENT_VERSION } from '../version.ts'
import { readCurrent, writeCurrent } from './program-folder.ts'

beforeAll(buildAgent)

const untilUpdate = (agent: InstalledAgent, state: Update['state']) =>
  agent.server.until(() => updatesOf(agent).find((report) => report.state === state))

describe('an installed agent', () => {
  test('installs a new version, restarts as the same process, and confirms it', async () => {
    const agent = await givenInstalledAgent()
    const program = programOf(NEXT_VERSION)
    serveProgram(agent.server, program)
    expect(agent.server.answers[0]).toMatchObject({ agent_version: AGENT_VERSION, can_update: true })
    agent.order(manifestOf(program))
    expect(await untilUpdate(agent, 'confirmed')).toMatchObject({ version: NEXT_VERSION, reason: null })
    expect(lastVersion(agent)).toBe(NEXT_VERSION)
    expect([...new Set(updatesOf(agent).map(({ state }) => state))]).toEqual([
      'downloading',
      'installed',
      'confirmed',
    ])
    expect(agent.starts()).toBe(1)
    expect(agent.current()).toMatchObject({
      current: { version: NEXT_VERSION },
      previous: { version: AGENT_VERSION },
      state: 'confirmed',
    })
    expect(readdirSync(join(agent.folder, 'versions')).toSorted()).toEqual([AGENT_VERSION, NEXT_VERSION])
    // The same version once more.
    agent.order(manifestOf(program))
    expect(await untilUpdate(agent, 'failed')).toMatchObject({
      reason: `Version ${NEXT_VERSION} is already running.`,
    })
  })

  test('goes back only by an order that says so', async () => {
    const agent = await givenInstalledAgent()
    const program = programOf('0.0.9')
    serveProgram(agent.server, program, '0.0.9')
    agent.order(manifestOf(program, { version: '0.0.9' }))
    expect(await untilUpdate(agent, 'failed')).toMatchObject({
      reason: `Version 0.0.9 is older than ${AGENT_VERSION}, and the order is no rollback.`,
    })
    agent.order(manifestOf(program, { version: '0.0.9', rollback: true }))
    expect(await untilUpdate(agent, 'confirmed')).toMatchObject({ version: '0.0.9' })
    expect(lastVersion(agent)).toBe('0.0.9')
  })

  test.each([
    ['throws when it starts', 'throw new Error("bad version")', /^It ended 3 times before/],
    ['never connects', 'setInterval(() => {}, 1000)', /^It was not connected and acknowledged within 3 sec/],
    ['ends at once without an error', 'process.exit(0)', /^It ended 3 times before/],
    [
      'hangs',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
      /^It stopped responding before/,
    ],
    ['is killed by the system', 'process.kill(process.pid, "SIGKILL")', /^It ended 3 times before/],
  ])('rolls a version back that %s', async (_, program, reason) => {
    const agent = await givenInstalledAgent()
    serveProgram(agent.server, program)
    agent.order(manifestOf(program, { trial_seconds: 3 }))
    const report = await untilUpdate(agent, 'rolled-back')
    expect(report).toMatchObject({ version: NEXT_VERSION, reason: expect.stringMatching(reason) })
    expect(lastVersion(agent)).toBe(AGENT_VERSION)
    await expect.poll(() => readdirSync(join(agent.folder, 'versions'))).toEqual([AGENT_VERSION])
    expect(agent.current()).toMatchObject({ current: { version: AGENT_VERSION }, state: 'rolled-back' })
  })

  test('rolls a version back whose reports the server does not acknowledge', async () => {
    const agent = await givenInstalledAgent()
    const program = programOf(NEXT_VERSION)
    serveProgram(agent.server, program)
    await agent.server.until(() => agent.server.reports.length > 0)
    agent.server.acknowledges = false
    agent.order(manifestOf(program, { trial_seconds: 4 }))
    await agent.server.until(() => lastVersion(agent) === NEXT_VERSION)
    await agent.server.until(() => lastVersion(agent) === AGENT_VERSION)
    agent.server.acknowledges = true
    expect(await untilUpdate(agent, 'rolled-back')).toMatchObject({
      reason: 'It was not connected and acknowledged within 4 seconds.',
    })
    expect(updatesOf(agent).map(({ state }) => state)).not.toContain('confirmed')
  })

  test('refuses orders that its server has not signed for it', async () => {
    const agent = await givenInstalledAgent()
    const { server } = agent
    const program = programOf(NEXT_VERSION)
    let requests = 0
    server.onRequest = (_, response) => {
      requests += 1
      response.end(program)
    }
    const foreign = generateKeyPairSync('ed25519').privateKey
    server.command(server.sign('update-agent', manifestOf(program), { key: foreign }))
    server.command(server.sign('update-agent', manifestOf(program), { payload: { agent_id: 'another' } }))
    const good = server.sign('update-agent', manifestOf(program))
    server.command({ ...good, payload: good.payload.replace(NEXT_VERSION, '99.0.1') })
    const refusals = () => server.frames.filter((frame) => frame.type === 'error')
    await server.until(() => refusals().length === 3)
    expect(requests).toBe(0)
    expect(agent.current()).toMatchObject({ state: 'confirmed', current: { version: AGENT_VERSION } })
  })

  test('refuses a download with another hash, of another length, or cut off', async () => {
    const agent = await givenInstalledAgent()
    const { server } = agent
    const program = programOf(NEXT_VERSION)
    const failures = () => updatesOf(agent).flatMap(({ reason }) => (reason === null ? [] : [reason]))
    const nextFailure = async (count: number) => server.until(() => failures()[count - 1])

    serveProgram(server, program.replace('muster', 'mustER'))
    agent.order(manifestOf(program))
    expect(await nextFailure(1)).toMatch(/does not have the announced hash/)
    serveProgram(server, `${program}//`)
    agent.order(manifestOf(program))
    expect(await nextFailure(2)).toMatch(/is longer than announced/)
    serveProgram(server, program.slice(0, 1000))
    agent.order(manifestOf(program))
    expect(await nextFailure(3)).toMatch(/ended after 1000 of \d+ bytes/)
    const packed = gzipSync(program)
    server.onRequest = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length })
      response.write(packed.subarray(0, packed.length / 2), () => response.destroy())
    }
    agent.order(manifestOf(program))
    expect(await nextFailure(4)).toMatch(/^The download of version .* was interrupted/)
    server.onRequest = (_, response) => void response.writeHead(302, { location: 'http://x/' }).end()
    agent.order(manifestOf(program))
    expect(await nextFailure(5)).toMatch(/returned status 302/)

    expect(readdirSync(join(agent.folder, 'versions'))).toEqual([AGENT_VERSION])
    serveProgram(server, program)
    agent.order(manifestOf(program, { node: 99 }))
    expect(await nextFailure(6)).toMatch(/needs Node 99/)
    agent.order(manifestOf(program))
    await untilUpdate(agent, 'confirmed')
  })

  test('loses its link during the download and installs the version all the same', async () => {
    const agent = await givenInstalledAgent()
    const { server } = agent
    const program = programOf(NEXT_VERSION)
    const packed = gzipSync(program)
    const again = Promise.withResolvers<void>()
    server.onRequest = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.write(packed.subarray(0, 1000), () => server.socket?.terminate())
      void again.promise.then(() => response.end(packed.subarray(1000)))
    }
    const up = server.untilUp()
    agent.order(manifestOf(program))
    await up
    again.resolve()
    expect(await untilUpdate(agent, 'confirmed')).toMatchObject({ version: NEXT_VERSION })
  })
})

test('a package whose Node is too old for the newer version takes its place, which the agent reports', async () => {
  const agent = await givenInstalledAgent()
  const program = programOf(NEXT_VERSION)
  serveProgram(agent.server, program)
  agent.order(manifestOf(program))
  await untilUpdate(agent, 'confirmed')
  const before = agent.current()
  expect(before?.current).toMatchObject({ version: NEXT_VERSION, node: 24 })
  // As if that version had come with a later Node.
  if (before !== undefined)
    writeCurrent(agent.folder, { ...before, current: { ...before.current, node: 999 } })
  const packaged = join(agent.folder, 'package/agent.mjs')
  mkdirSync(join(agent.folder, 'package'))
  copyFileSync(join(import.meta.dirname, '../../dist/agent.mjs'), packaged)
  const args = [packaged, 'lay-out', '--program-folder', agent.folder]
  const own = process.versions.node.split('.')[0]
  const reason = `An older package was installed, whose Node ${own} does not run version ${NEXT_VERSION}, which needs Node 999. Install a newer package.`
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe(
    `${reason}\nVersion ${AGENT_VERSION} is in ${agent.folder}.\n`,
  )
  agent.child()?.kill()
  expect(await untilUpdate(agent, 'rolled-back')).toMatchObject({ version: NEXT_VERSION, reason })
  expect(lastVersion(agent)).toBe(AGENT_VERSION)
  expect(readdirSync(join(agent.folder, 'versions'))).toEqual([AGENT_VERSION])
  expect(agent.current()).toMatchObject({ current: { version: AGENT_VERSION, node: 24 }, failed: null })
})

/** Lays a package out on top of this version, and returns the version that runs then. */
function layPackageOver(version: string, damage = ''): string | undefined {
  const folder = join(givenFolder(), 'program')
  const dist = join(import.meta.dirname, '../../dist')
  const before = join(folder, 'versions', version)
  for (const path of [join(folder, 'package'), before]) mkdirSync(path, { recursive: true })
  copyFileSync(join(dist, 'muster-agent.mjs'), join(folder, 'muster-agent.mjs'))
  copyFileSync(join(dist, 'agent.mjs'), join(folder, 'package/agent.mjs'))
  const program = programOf(version)
  writeFileSync(join(before, 'agent.mjs'), program + damage)
  writeCurrent(folder, {
    current: { version, sha256: manifestOf(program).sha256 },
    previous: null,
    state: 'confirmed',
    starts: 0,
    trial_seconds: 120,
    failed: null,
  })
  const packaged = join(folder, 'package/agent.mjs')
  execFileSync(process.execPath, [packaged, 'lay-out', '--program-folder', folder])
  expect(existsSync(packaged)).toBe(true)
  expect(execFileSync(process.execPath, [join(folder, 'muster-agent.mjs'), '--help'], { encoding: 'utf8' }))
    // The launcher finds a program that works.
    .toContain('Muster agent')
  return readCurrent(folder)?.current.version
}

test('a package on top of another version leaves a newer one in place, unless that is damaged', () => {
  expect(layPackageOver('0.0.9')).toBe(AGENT_VERSION)
  expect(layPackageOver(NEXT_VERSION)).toBe(NEXT_VERSION)
  expect(layPackageOver(NEXT_VERSION, '(')).toBe(AGENT_VERSION)
})
