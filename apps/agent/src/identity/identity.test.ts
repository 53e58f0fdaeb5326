import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hardware } from '@muster/contract/agent/hardware'
import { expect, test, vi } from 'vitest'
import { enrolMachine } from '../link/enrol-machine.ts'
import { os as thisOs } from '../os/index.ts'
import type { Os } from '../os/os.ts'
import { findStatus } from '../status-file.ts'
import { givenAgent, givenFolder, givenServer } from '../testing/given.ts'
import { GOOD_TOKEN } from '../testing/test-server.ts'
import { requireIdentity, writeIdentity } from './identity.ts'

const FIRST: Hardware = { dmi_uuid: '11111111-2222-3333-4444-555555555555', macs: ['00:1b:21:00:00:01'] }
const SECOND: Hardware = { dmi_uuid: '66666666-7777-8888-9999-aaaaaaaaaaaa', macs: ['00:1b:21:00:00:02'] }

const machine = (hardware: Hardware, id: string | undefined = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'): Os => ({
  ...thisOs,
  findMachineId: async () => id,
  readHardware: async () => hardware,
})
const withoutId = { ...machine(FIRST), findMachineId: async () => undefined }

async function givenEnrolment() {
  const { url } = await givenServer()
  const enrol = (folder: string, os: Os) =>
    enrolMachine({ folder, serverUrl: url, token: GOOD_TOKEN, caPem: null, os })
  const keyOf = (folder: string) => readFileSync(join(folder, 'key.pem'), 'utf8')
  return { enrol, keyOf }
}

test('a machine without an id of its own makes one and keeps it', async () => {
  const { enrol } = await givenEnrolment()
  const folder = givenFolder()
  const first = await enrol(folder, withoutId)
  const id = readFileSync(join(folder, 'machine-id'), 'utf8')
  expect(id).toMatch(/^[0-9a-f]{32}\n$/)
  expect(await enrol(folder, withoutId)).toMatchObject({ machine_key: first.machine_key, reattached: true })
  expect(readFileSync(join(folder, 'machine-id'), 'utf8')).toBe(id)
  // The same folder on another machine, and a folder whose file is damaged.
  for (const text of [undefined, 'uninitialized\n']) {
    rmSync(folder, { recursive: true })
    if (text !== undefined) {
      await enrol(folder, withoutId)
      writeFileSync(join(folder, 'machine-id'), text)
    }
    expect((await enrol(folder, withoutId)).machine_key).not.toBe(first.machine_key)
  }
})

test('a copy of an enrolled folder gets a key of its own, the same machine keeps its key', async () => {
  const { enrol, keyOf } = await givenEnrolment()
  const folder = givenFolder()
  await enrol(folder, machine(FIRST))
  const key = keyOf(folder)
  await enrol(folder, machine({ ...FIRST, disk_serial: 'NEW' }))
  expect(keyOf(folder)).toBe(key)
  await enrol(folder, machine(SECOND))
  const second = keyOf(folder)
  expect(second).not.toBe(key)
  // With a new machine id, too: the row is another one, and two machines with one key could sign in as each other.
  await enrol(folder, machine(SECOND, 'ffeeddccbbaa99887766554433221100'))
  expect(keyOf(folder)).not.toBe(second)
  const copy = givenFolder()
  cpSync(folder, copy, { recursive: true })
  await enrol(copy, machine(SECOND, 'ffeeddccbbaa99887766554433221100'))
  expect(keyOf(copy)).not.toBe(keyOf(folder))
})

test('the agent shows its hardware as it signs in, and stores what the server has accepted', async () => {
  const { server, folder, restart } = await givenAgent({ agent: { os: machine(SECOND) } })
  expect(server.answers.at(-1)).toMatchObject({ hardware: SECOND, hostname: expect.any(String) })
  await vi.waitFor(() => expect(requireIdentity(folder).hardware).toEqual(SECOND))
  const { hardware: _, ...older } = requireIdentity(folder)
  writeIdentity(folder, older)
  await restart()
  await vi.waitFor(() => expect(requireIdentity(folder).hardware).toEqual(SECOND))
})

test('hardware that cannot be read does not keep the agent from connecting', async () => {
  const os = {
    ...thisOs,
    readHardware: async () => {
      throw new Error('no firmware')
    },
  }
  const { server, lines } = await givenAgent({ agent: { os } })
  expect(server.answers.at(-1)?.hardware).toBeUndefined()
  expect(lines.map(({ message }) => message)).toContain('failed to read the hardware of this machine')
})

test('a copy that is turned away says why and what to do, in its log and its status', async () => {
  const { server, folder, lines } = await givenAgent({ expectedWarnings: [/^server rejected this agent$/] })
  const message = 'web-01 is connected from other hardware.'
  server.send({ type: 'refused', code: 'copied_agent', message })
  const detail = new RegExp(
    `web-01 is connected from other hardware\\. Or stop the agent, run ".* enrol --server ${requireIdentity(folder).server_url} --token TOKEN --data ${folder}", and start it again\\.`,
  )
  await vi.waitFor(() =>
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', detail: expect.stringMatching(detail) }),
    ),
  )
  await vi.waitFor(() =>
    expect(findStatus(folder)?.link).toMatchObject({ reason: expect.stringMatching(detail) }),
  )
})
