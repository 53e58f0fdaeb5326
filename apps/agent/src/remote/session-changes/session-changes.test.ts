import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { ChangedPart, SessionChangesReport } from '@muster/contract/agent/remote'
import { expect, onTestFinished, test } from 'vitest'
import { TestDesktop } from '../desktop/test-desktop.ts'
import { TestChannel } from '../terminal/test-channel.ts'
import { dataFiles } from '../../identity/data-folder.ts'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import type { TestServer } from '../../testing/test-server.ts'
import { keepSnapshot, compareWithSnapshot } from './snapshot.ts'
import type { ChangeRecorder } from './session-changes.ts'

/** A machine whose settings, users, packages and services a test can change. */
function givenMachine() {
  const folder = givenFolder()
  const settingsFolder = join(folder, 'etc')
  const userList = join(folder, 'passwd')
  mkdirSync(join(settingsFolder, 'deep'), { recursive: true })
  writeFileSync(join(settingsFolder, 'kept.conf'), 'kept')
  writeFileSync(join(settingsFolder, 'deep', 'old.conf'), 'old')
  writeFileSync(userList, 'root:x:0:0:root:/root:/bin/bash\n')
  const units = (state: string) =>
    `Id=web.service\nLoadState=loaded\nActiveState=${state}\nSubState=x\nUnitFileState=enabled\n`
  const packages = (version: string) => `install ok installed\ttzdata\tall\t${version}\t1\t\tPeople\n`
  const programs = givenPrograms({
    'dpkg-query': 'cat "$here/packages"',
    systemctl: 'case "$1" in show) cat "$here/units";; *) echo web.service;; esac',
  })
  const set = (version: string, state: string) => {
    writeFileSync(join(programs, 'packages'), packages(version))
    writeFileSync(join(programs, 'units'), units(state))
  }
  set('1.0', 'active')
  const places = { settingsFolder, userList }
  const maker: ChangeRecorder = {
    begin: (file) => keepSnapshot(file, places),
    end: (file) => compareWithSnapshot(file, places),
  }
  return { settingsFolder, userList, set, maker }
}

const changesOf = (server: TestServer, session: string) =>
  server.until(() =>
    server.reports.find(
      (report): report is SessionChangesReport =>
        report.kind === 'session-receipt' && report.session === session,
    ),
  )

const collected = (part: ChangedPart) => {
  if (part.state !== 'collected') throw new Error(part.reason)
  return part
}

/** The first snapshot is complete. */
const firstSnapshot = (server: TestServer, folder: string, session: string) =>
  server.until(() => {
    try {
      return readdirSync(join(folder, dataFiles.snapshots)).includes(session)
    } catch {
      return false
    }
  })

test('the report lists changed packages, services, files, users and ports', async () => {
  const machine = givenMachine()
  const { server, folder } = await givenAgent({ agent: { changeRecorder: machine.maker } })
  const terminal = await new TestChannel(server).opened()
  await firstSnapshot(server, folder, terminal.session)
  machine.set('1.1', 'inactive')
  writeFileSync(join(machine.settingsFolder, 'new.conf'), 'new')
  appendFileSync(join(machine.settingsFolder, 'kept.conf'), ' and changed')
  rmSync(join(machine.settingsFolder, 'deep', 'old.conf'))
  appendFileSync(machine.userList, 'eve:x:1001:1001::/home/eve:/bin/sh\n')
  const listener = createServer()
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listener.close())
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  terminal.close('closed')

  const { receipt: changes } = await changesOf(server, terminal.session)
  const { packages, services, files, users, ports } = changes.parts
  expect(collected(packages).changed).toEqual([{ name: 'tzdata', from: '1.0', to: '1.1' }])
  expect(collected(services).changed).toEqual([
    { name: 'web.service', from: 'running, starts automatically', to: 'stopped, starts automatically' },
  ])
  expect(collected(files).added).toEqual([
    {
      name: join(machine.settingsFolder, 'new.conf'),
      state: expect.stringMatching(/^3 bytes, 0\d{3}, \d+:\d+$/),
    },
  ])
  expect(collected(files).changed.map(({ name }) => name)).toEqual([
    join(machine.settingsFolder, 'kept.conf'),
  ])
  expect(collected(files).removed.map(({ name }) => name)).toEqual([
    join(machine.settingsFolder, 'deep', 'old.conf'),
  ])
  expect(collected(users).added).toEqual([{ name: 'eve', state: '1001:1001, /home/eve, /bin/sh' }])
  expect(collected(ports).added).toContainEqual({
    name: `tcp 127.0.0.1:${address.port}`,
    state: expect.any(String),
  })
  expect(changes.interrupted).toBe(false)
  expect(readdirSync(join(folder, dataFiles.snapshots))).toEqual([])
  const kinds = server.reports.map(({ kind }) => kind)
  expect(kinds.indexOf('session-receipt')).toBeGreaterThan(kinds.indexOf('session-ended'))
})

test('VNC to another host has a report too', async () => {
  const machine = givenMachine()
  const vnc = createServer((socket) => socket.on('error', () => undefined).write('RFB 003.008\n'))
  await new Promise<void>((resolve) => void vnc.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void vnc.close())
  const address = vnc.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  const { server, folder } = await givenAgent({ agent: { changeRecorder: machine.maker } })
  const window = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port: address.port })
  await window.opened()
  await firstSnapshot(server, folder, window.session)
  writeFileSync(join(machine.settingsFolder, 'new.conf'), 'new')
  window.close('closed')
  const { receipt: changes } = await changesOf(server, window.session)
  expect(collected(changes.parts.files).added.map(({ name }) => name)).toEqual([
    join(machine.settingsFolder, 'new.conf'),
  ])
})

test('overlapping sessions have a report each, since their own start', async () => {
  const machine = givenMachine()
  const { server, folder } = await givenAgent({ agent: { changeRecorder: machine.maker } })
  const first = await new TestChannel(server).opened()
  await firstSnapshot(server, folder, first.session)
  writeFileSync(join(machine.settingsFolder, 'one'), '1')
  const second = await new TestChannel(server).opened()
  await firstSnapshot(server, folder, second.session)
  writeFileSync(join(machine.settingsFolder, 'two'), '2')
  first.close('closed')
  second.close('closed')
  const addedIn = async (session: string) =>
    collected((await changesOf(server, session)).receipt.parts.files).added.map(({ name }) => name.slice(-3))
  expect(await addedIn(first.session)).toEqual(['one', 'two'])
  expect(await addedIn(second.session)).toEqual(['two'])
})

test('a session that a stop of the agent interrupts has a report at the next start, marked as interrupted', async () => {
  const machine = givenMachine()
  const given = await givenAgent({ agent: { changeRecorder: machine.maker } })
  const { server, folder } = given
  const terminal = await new TestChannel(server).opened()
  await firstSnapshot(server, folder, terminal.session)
  writeFileSync(join(folder, dataFiles.snapshots, 'half.new'), 'what a killed process left')
  writeFileSync(join(machine.settingsFolder, 'one'), '1')
  await given.restart()
  const { receipt: changes } = await changesOf(server, terminal.session)
  expect(changes.interrupted).toBe(true)
  expect(collected(changes.parts.files).added).toHaveLength(1)
  expect(readdirSync(join(folder, dataFiles.snapshots))).toEqual([])
})

test('a part that cannot be read reports the reason, and the others are complete', async () => {
  const machine = givenMachine()
  givenPrograms({ systemctl: 'echo "no bus" >&2; exit 1' })
  const { server } = await givenAgent({ agent: { changeRecorder: machine.maker } })
  const terminal = await new TestChannel(server).opened()
  terminal.close('closed')
  const { services, users } = (await changesOf(server, terminal.session)).receipt.parts
  expect(services).toMatchObject({ state: 'not_collected', reason: expect.stringContaining('no bus') })
  expect(users).toMatchObject({ state: 'collected', added: [] })
})

test('a failed snapshot is reported', async () => {
  const failing: ChangeRecorder = {
    begin: () => Promise.reject(new Error('no room left')),
    end: () => Promise.reject(new Error('no such file')),
  }
  const { server } = await givenAgent({ agent: { changeRecorder: failing } })
  const terminal = await new TestChannel(server).opened()
  terminal.close('closed')
  const { files } = (await changesOf(server, terminal.session)).receipt.parts
  expect(files).toMatchObject({
    state: 'not_collected',
    reason: expect.stringContaining('Failed to take a snapshot'),
  })
})
