import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  beginUpload,
  finishUpload,
  MAX_UPLOAD_BYTES,
  startDownload,
  UPLOAD_BYTES_PATH,
} from '@muster/contract/api/files'
import { listAgents } from '@muster/contract/api/agents'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { type AgentOptions, startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { waitForMachine } from './measure-api.ts'
import { pressKey } from './measure-terminal.ts'
import { residentMb } from './process-figures.ts'
import { TerminalWindow } from './terminal-window.ts'

const BYTES = 1_000_000_000
const ROUNDS = 3
const LOOK_EVERY_MS = 250

/** A file from a machine and to it, as a browser moves it, and keys pressed in a terminal meanwhile. */
export async function measureFiles(
  given: { bytes?: number; rounds?: number; program?: AgentOptions['program'] } = {},
): Promise<Figure[]> {
  const { bytes = BYTES, rounds = ROUNDS, program = 'bundle' } = given
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'))
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  const file = join(folder, 'big.bin')
  await writeBytes(file, bytes)
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Files'))
  await using agent = await startAgent({ server: server.url, token, program })
  await waitForMachine(session, 'Files')
  const [machine] = await session.call(listAgents, { query: {} })
  if (machine === undefined) throw new Error('there is no machine')
  const { agent_id } = machine
  const memory = () => residentMb(server.pid) + residentMb(agent.pid)

  // Whatever is loaded and grown for the first one is there afterwards.
  await download(session, agent_id, file)
  const beforeMb = memory()
  let mostMb = beforeMb
  const look = setInterval(() => (mostMb = Math.max(mostMb, memory())), LOOK_EVERY_MS)
  const down: number[] = []
  const up: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    down.push(bytes / 1e6 / (await timed(() => download(session, agent_id, file))))
    up.push(
      bytes /
        1e6 /
        (await timed(() => upload(session, agent_id, { to: join(folder, `up${round}.bin`), bytes }))),
    )
  }
  clearInterval(look)
  const presses = await pressBeside(session, agent_id, () => download(session, agent_id, file))
  const spread = (speeds: number[]) =>
    `${Math.min(...speeds).toFixed(0)} to ${Math.max(...speeds).toFixed(0)} MB/s, ${(bytes / 1e6).toFixed(0)} MB each`
  return [
    { budget: 'fileDownload', value: median(down), remark: spread(down) },
    { budget: 'fileUpload', value: median(up), remark: spread(up) },
    {
      budget: 'fileMemory',
      value: mostMb - beforeMb,
      remark: `server and agent together, ${beforeMb.toFixed(0)} MB after a first download`,
    },
    {
      budget: 'fileEcho',
      value: percentile(presses, 95),
      remark: `median ${median(presses).toFixed(1)} ms, ${presses.length} keys`,
    },
  ]
}

async function download(session: Session, agent_id: string, file: string): Promise<void> {
  const body = { path: rawPath(file), archive: false }
  const { url } = await session.call(startDownload, { params: { agent_id }, body })
  using http = openHttp(session)
  const { size } = await stat(file)
  const came = await http.fetchBytes(url)
  if (came !== size) throw new Error(`${came} of ${size} bytes came`)
}

async function upload(
  session: Session,
  agent_id: string,
  { to, bytes }: { to: string; bytes: number },
): Promise<void> {
  const path = rawPath(to)
  const { upload: id } = await session.call(beginUpload, {
    params: { agent_id },
    body: { path, size: bytes },
  })
  const piece = Buffer.alloc(MAX_UPLOAD_BYTES, 'muster')
  const address = session.url + UPLOAD_BYTES_PATH.replace(':agent_id', agent_id).replace(':upload', id)
  for (let offset = 0; offset < bytes; offset += piece.length) {
    const query = new URLSearchParams({ path, offset: `${offset}` }).toString()
    const response = await fetch(`${address}?${query}`, {
      method: 'PUT',
      headers: { ...session.headers(), 'content-type': 'application/octet-stream' },
      body: piece.subarray(0, Math.min(piece.length, bytes - offset)),
    })
    if (!response.ok) throw new Error(`an upload was answered ${response.status}: ${await response.text()}`)
  }
  const body = { path, size: bytes, hash: null }
  await session.call(finishUpload, { params: { agent_id, upload: id }, body })
}

async function pressBeside(session: Session, agentId: string, work: () => Promise<void>): Promise<number[]> {
  using keys = await TerminalWindow.open(session, agentId)
  keys.type('stty -icanon; echo ready=$((1 + 1)); cat > /dev/null\n')
  await keys.until('ready=2')
  let isOver = false
  const over = work().finally(() => (isOver = true))
  const times: number[] = []
  while (!isOver) times.push(await pressKey(keys, times.length))
  await over
  return times
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return (performance.now() - startedMs) / 1000
}

async function writeBytes(file: string, bytes: number): Promise<void> {
  const piece = Buffer.alloc(1_000_000, 'muster')
  async function* pieces() {
    for (let left = bytes; left > 0; left -= piece.length)
      yield piece.subarray(0, Math.min(left, piece.length))
  }
  await pipeline(pieces, createWriteStream(file))
}

const rawPath = (path: string) => Buffer.from(path).toString('base64url')
