import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMachineLog } from '@muster/contract/api/logs'
import { listProcesses } from '@muster/contract/api/processes'
import { controlService } from '@muster/contract/api/services'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TerminalWindow } from '../load/terminal-window.ts'
import { givenPrograms } from './given-programs.ts'
import { raw, readFirst, someBytes, stalledBody, startToDownload, startUpload } from './moving-files.ts'
import { openFaultSetup, type FaultSetup } from './fault-setup.ts'

const BIG_BYTES = 60_000_000
let setup: FaultSetup
let programs: Awaited<ReturnType<typeof givenPrograms>>

beforeAll(async () => {
  // systemctl is still busy at the time of the fault; journalctl follows its log forever.
  programs = await givenPrograms({
    journalctl: 'case "$*" in *--follow*) exec tail -n 5 -f "$here/journal";; *) exec sleep 3;; esac',
    systemctl: 'case "$*" in *restart*) exec sleep 3;; *) cat "$here/unit";; esac',
  })
  writeFileSync(join(programs.path, 'journal'), 'a line of the journal\n')
  writeFileSync(join(programs.path, 'unit'), 'Id=x.service\nLoadState=loaded\nActiveState=active\n')
  setup = await openFaultSetup({ path: programs.path })
  writeFileSync(join(setup.folder, 'app.log'), 'a line of a file\n')
  execFileSync('truncate', ['-s', `${BIG_BYTES}`, join(setup.folder, 'big')])
  mkdirSync(join(setup.folder, 'inner'))
  writeFileSync(join(setup.folder, 'inner', 'noise'), someBytes(30))
})
afterAll(async () => {
  await setup[Symbol.asyncDispose]()
  await programs[Symbol.asyncDispose]()
})

/** Starts every tool and leaves it in the middle of its work. */
async function beginAll(name: string) {
  const { session, agentId, params, folder } = setup
  const leave = new AbortController()
  const bytes = someBytes(3)
  const upload = await startUpload(setup, { path: join(folder, name), bytes })
  const sending = upload.send(0, stalledBody(bytes.subarray(0, 500_000)), leave.signal).catch(messageOf)
  await vi.waitFor(async () => expect(partSize()).toBe(500_000))
  const file = await startToDownload(setup, { path: join(folder, 'big') })
  const answer = await file.get({}, leave.signal)
  const download = await readFirst(answer)
  const archived = await startToDownload(setup, { path: join(folder, 'inner'), archive: true })
  const archive = await readFirst(await archived.get({}, leave.signal))
  const tail = await TerminalWindow.open(session, agentId, {
    tool: 'logfile',
    path: raw(join(folder, 'app.log')),
  })
  await tail.until('a line of a file')
  const source = { kind: 'journal', unit: null, priority: 'debug' } as const
  const journal = await TerminalWindow.open(session, agentId, { tool: 'log', source })
  await journal.until('a line of the journal')
  const query = { unit: 'x.service', priority: 'debug', search: '' } as const
  const read = session.call(readMachineLog, { params, query }).catch(messageOf)
  const control = session
    .call(controlService, { params: { ...params, name: 'x.service' }, body: { sv_action: 'restart' } })
    .catch(messageOf)
  expect((await session.call(listProcesses, { params })).length).toBeGreaterThan(1)
  await vi.waitFor(() => expect(busy()).toEqual(BUSY))
  return { leave, upload, bytes, sending, file, answer, download, archive, tail, journal, read, control }
}

const BUSY = ['gzip', 'sh', 'sleep', 'sleep', 'tail', 'tar']
const nameOf = (command: string) => command.split(' ')[0]?.split('/').at(-1) ?? ''
/** Without the agent's own helpers, which look at the machine now and then and end by themselves. */
const busy = () =>
  setup
    .running()
    .map(nameOf)
    .filter((name) => name !== 'node')
    .toSorted()
const partOf = () => readdirSync(setup.folder).filter((name) => name.startsWith('.muster-'))
const partSize = () => partOf().reduce((sum, name) => sum + readFileSync(join(setup.folder, name)).length, 0)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function sentencesOf(all: Awaited<ReturnType<typeof beginAll>>) {
  const end = (window: TerminalWindow) => window.until('\0').catch(messageOf)
  return {
    upload: await all.sending,
    read: await all.read,
    change: await all.control,
    logs: await Promise.all([end(all.tail), end(all.journal)]),
    isWhole: [(await all.download.rest()).isWhole, (await all.archive.rest()).isWhole],
  }
}

const NO_ANSWER = expect.stringMatching(/ did not respond\. The action may still have run/)
const LINK_LOST = {
  upload: 'The link to the machine was lost.',
  read: NO_ANSWER,
  change: NO_ANSWER,
  logs: [
    'the terminal ended: The link to the machine was lost.',
    'the terminal ended: The link to the machine was lost.',
  ],
  isWhole: [false, false],
}

/** Resumes the interrupted transfers, and compares the files. */
async function goOn({ upload, bytes, file, answer }: Awaited<ReturnType<typeof beginAll>>, name: string) {
  const there = await upload.size()
  expect(there).toBe(500_000)
  expect(await upload.send(there)).toBe(bytes.length)
  await upload.finish()
  expect(readFileSync(join(setup.folder, name)).equals(bytes)).toBe(true)
  const headers = { range: 'bytes=59000000-', 'if-range': answer.headers.get('etag') ?? '' }
  const rest = await file.get(headers)
  expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, 1_000_000])
  expect(partOf()).toEqual([])
}

test('the browser dies while each tool is in use', async () => {
  const all = await beginAll('browser')
  all.leave.abort()
  all.tail[Symbol.dispose]()
  all.journal[Symbol.dispose]()
  expect(await all.read).toEqual({ entries: [], complete: true })
  expect(await all.control).toMatchObject({ status: 'running' })
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  await goOn(all, 'browser')
})

test('the agent dies while each tool is in use', async () => {
  const all = await beginAll('agent')
  await setup.agent.kill()
  // journalctl looks whether its reader is gone; its stand-in sees that when it writes.
  appendFileSync(join(programs.path, 'journal'), 'one more line\n')
  expect(await sentencesOf(all)).toEqual(LINK_LOST)
  setup.agent.start()
  await setup.back()
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  await goOn(all, 'agent')
})

test('the server dies while each tool is in use', async () => {
  const all = await beginAll('server')
  await setup.server.kill()
  expect(await sentencesOf(all)).toEqual({
    upload: 'fetch failed',
    read: 'The server cannot be reached.',
    change: 'The server cannot be reached.',
    logs: ['the terminal ended: the connection was lost', 'the terminal ended: the connection was lost'],
    isWhole: [false, false],
  })
  await setup.server.start()
  await setup.back()
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  await goOn(all, 'server')
})

test('the network fails for longer than both ends wait', async () => {
  const all = await beginAll('line')
  setup.line.drop()
  expect(await sentencesOf(all)).toEqual(LINK_LOST)
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  setup.line.mend()
  await setup.back()
  await goOn(all, 'line')
})
