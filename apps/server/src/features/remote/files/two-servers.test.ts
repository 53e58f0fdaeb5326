import { CHANNEL_KIND, CHANNEL_WINDOW_BYTES, encodeChannelFrame } from '@muster/contract/agent/channel'
import { commands } from '@muster/contract/agent/commands'
import { beginUpload, finishUpload, startDownload, UPLOAD_BYTES_PATH } from '@muster/contract/api/files'
import { watchProcesses } from '@muster/contract/api/processes'
import { readMachineLog } from '@muster/contract/api/logs'
import { expect, test, vi } from 'vitest'
import { createTwoServers } from '../../../testing/test-two-servers.ts'
import { getTicket, onceOpen } from '../../live/test-console.ts'
import { TestWindow } from '../test-window.ts'
import { fetchAs, fileAudit, givenMachine, nextChannel, raw } from './test-machine.ts'

const PATH = raw('/srv/big.iso')
/** More than the window of a channel. */
const SIZE = 600_000
const ARRIVED = 400_000

/** A machine at the other server, and Ada, whose browser uses this one. */
async function prepare() {
  const two = await createTwoServers()
  const machine = await givenMachine(two.there)
  const ada = two.here.as(machine.user)
  return {
    ...machine,
    ...two,
    ada,
    [Symbol.asyncDispose]: async () => {
      machine.agent.cut()
      await two[Symbol.asyncDispose]()
    },
  }
}

test('a file is downloaded across servers, and resumes after a lost link', async () => {
  await using fixture = await prepare()
  const { agent, ada, here, hereUrl, params, user } = fixture
  const body = { path: raw('/var/report.txt'), archive: false }
  const address = hereUrl + (await ada.call(startDownload, { params, body })).body.url
  const first = fetchAs(here, user, { url: address })
  const sending = await nextChannel(agent)
  sending.news({ size: 10 })
  sending.data(Buffer.from('01234'))
  const begun = await first
  expect(begun.status).toBe(200)
  await agent.goOffline()
  await expect(begun.text()).rejects.toThrow()
  await agent.comeOnline()
  const from = agent.frames.length
  const headers = { range: 'bytes=5-', 'if-range': '"v1"' }
  const second = fetchAs(here, user, { url: address, headers })
  const rest = await nextChannel(agent, from)
  expect(rest.order).toMatchObject({ offset: 5, version: 'v1' })
  rest.news({ size: 10, offset: 5 })
  rest.data(Buffer.from('56789'))
  rest.end()
  const answer = await second
  expect([answer.status, await answer.text()]).toEqual([206, '56789'])
  expect(await fileAudit(fixture.there, user)).toContain('ada: Downloaded "/var/report.txt" (10 B)')
})

test('an upload crosses servers, is interrupted, and resumes where it stopped', async () => {
  await using fixture = await prepare()
  const { agent, ada, hereUrl, params, user } = fixture
  const answered = async <Answer>(call: () => Promise<Answer>, answer: object) => {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
    return asked
  }
  const begun = await answered(() => ada.call(beginUpload, { params, body: { path: PATH, size: SIZE } }), {
    size: 0,
  })
  const { upload } = begun.body
  const put = (bytes: Buffer, offset: number) => {
    const path = UPLOAD_BYTES_PATH.replace(':agent_id', agent.agentId).replace(':upload', upload)
    const headers = {
      'content-type': 'application/octet-stream',
      origin: hereUrl,
      cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      authorization: `Token ${ada.token}`,
      'x-xsrf-token': ada.cookies.get('XSRF-TOKEN') ?? '',
    }
    const url = `${hereUrl}${path}?path=${PATH}&offset=${offset}`
    return fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) })
  }
  const bytes = Buffer.alloc(SIZE, 'abcdefg')
  const broken = put(bytes, 0)
  const first = await nextChannel(agent)
  first.text({ type: 'ready', size: 0 })
  await vi.waitFor(() => expect(first.received().length).toBeGreaterThan(CHANNEL_WINDOW_BYTES - 32_768))
  const before = first.received().length
  await agent.goOffline()
  expect((await broken).status).toBe(503)
  await agent.comeOnline()
  const from = agent.frames.length
  const again = put(bytes.subarray(ARRIVED), ARRIVED)
  const rest = await nextChannel(agent, from)
  expect(rest.order).toMatchObject({ task: 'write', upload, offset: ARRIVED })
  rest.text({ type: 'ready', size: ARRIVED })
  await vi.waitFor(() => expect(rest.messages()).toEqual([{ type: 'done' }]))
  // Channel numbers start again with each link.
  expect(rest.received().subarray(before).equals(bytes.subarray(ARRIVED))).toBe(true)
  rest.text({ type: 'written', size: bytes.length })
  rest.end()
  expect(await (await again).json()).toEqual({ size: bytes.length })
  const asked = agent.frames.length
  const finished = ada.call(finishUpload, {
    params: { ...params, upload },
    body: { path: PATH, size: bytes.length, hash: null },
  })
  ;(await nextChannel(agent, asked)).end()
  expect((await finished).status).toBe(200)
  expect((await fileAudit(fixture.there, user)).at(-1)).toContain('ada: Uploaded "/srv/big.iso"')
})

test('processes and a log are followed live, and a log is read, from the other server', async () => {
  await using fixture = await prepare()
  const { agent, here, there, hereUrl, params } = fixture
  const user = await there.given.user({ permissions: ['can_manage_procs', 'can_view_eventlogs'] })
  const ben = here.as(user)
  let from = agent.frames.length
  const watched = ben.call(watchProcesses, { params, query: {} })
  expect((await agent.nextCommand(from)).payload.name).toBe('watch-processes')
  const cat = { pid: 7, start: '1', parent_pid: 1, name: 'cat', nice: 0, ports: [], command: 'cat' }
  const look = { left_out: 0, cpu_percent: 1, memory_total: 9, memory_used: 3, gone: [], more: false }
  const put = [{ ...cat, username: 'ada', started_at: null, state: 'running' }]
  agent.send({ type: 'live-processes', look: { ...look, whole: true, put, use: [[7, 2, 30]] } })
  const { body: first } = await watched
  expect(first).toMatchObject({ connected: true, whole: true, processes: [{ name: 'cat', cpu_percent: 2 }] })
  const more = ben.call(watchProcesses, { params, query: { after: first.next } })
  agent.send({ type: 'live-processes', look: { ...look, whole: false, put: [], use: [], gone: [7] } })
  expect((await more).body).toMatchObject({ whole: false, gone: [7] })

  from = agent.frames.length
  const read = ben.call(readMachineLog, { params, query: { priority: 'err' } })
  const { payload } = await agent.nextCommand(from)
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: { entries: [], complete: true } })
  expect((await read).body).toEqual({ entries: [], complete: true })

  from = agent.frames.length
  using window = new TestWindow(hereUrl, params.agent_id, user)
  await onceOpen(window.socket)
  const source = { kind: 'journal', unit: 'ssh.service', priority: 'warning' }
  window.ask(await getTicket(here, user), { tool: 'log', source })
  const order = commands['open-channel'].parse((await agent.nextCommand(from)).payload.input)
  const line = { kind: CHANNEL_KIND.data, channel: order.channel, payload: Buffer.from('10:00 one\n') }
  agent.sendText(encodeChannelFrame(line))
  await vi.waitFor(() => expect(window.text).toBe('10:00 one\n'))
})
