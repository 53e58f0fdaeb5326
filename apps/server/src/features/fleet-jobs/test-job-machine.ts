import { createHash } from 'node:crypto'
import type { FoundText, PutText } from '@muster/contract/agent/files'
import type { RegistryChange } from '@muster/contract/agent/registry'
import type { MachineService } from '@muster/contract/agent/services'
import type { Platform } from '@muster/contract/fields'
import { showRaw } from '@muster/rules/agents/raw-path'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { type Draft, startFleet } from './test-fleet-jobs.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A machine on a real socket that answers requests from what it has. */
export class JobMachine implements Disposable {
  readonly agent: TestAgent
  /** Texts by path; null = a file that is no text. */
  readonly files = new Map<string, string | null>()
  /** Values by key and name: `HKLM\A b`. */
  readonly values = new Map<string, { type: number; bytes: string }>()
  readonly keys = new Set<string>()
  service: Pick<MachineService, 'status' | 'start_type'> = { status: 'stopped', start_type: 'manual' }
  /** Jobs whose files it has restored. */
  readonly undone: number[] = []
  /** Requests that it refuses. */
  readonly refused = new Set<string>()
  readonly received: { name: string; input: unknown }[] = []
  #isOver = false

  private constructor(agent: TestAgent) {
    this.agent = agent
  }

  static async start(
    server: TestServer,
    {
      url,
      siteId,
      hostname,
      plat,
      canUpdate,
    }: { url: string; siteId: number; hostname: string; plat: Platform; canUpdate?: boolean },
  ): Promise<JobMachine> {
    const agent = await TestAgent.enrol(server, url, siteId, { hostname })
    await server.ctx.db.updateTable('agents').set({ plat }).where('agent_id', '=', agent.agentId).execute()
    await agent.comeOnline(canUpdate === undefined ? {} : { canUpdate })
    server.ctx.emit({ type: 'agent.changed', ids: [agent.agentId], agent_ids: [agent.agentId] })
    const machine = new JobMachine(agent)
    void machine.#serve()
    return machine
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.agent.cut()
  }

  async #serve(): Promise<void> {
    for (let from = 0; !this.#isOver;) {
      const at = this.agent.frames.findIndex(({ type }, index) => index >= from && type === 'command')
      if (at === -1) {
        await this.agent.next(({ type }) => type === 'command', from).catch(() => undefined)
        continue
      }
      const { payload } = await this.agent.nextCommand(at)
      from = at + 1
      const { name, nonce, input } = payload
      this.received.push({ name, input })
      const refused = this.refused.has(name) ? 'The disk is full.' : null
      const answer = refused === null ? this.#answer(name, input) : null
      if (answer !== undefined) this.agent.send({ type: 'reply', nonce, refused, answer })
    }
  }

  /** The inputs were made by the server from the contract. */
  #answer(name: string, input: unknown): object | undefined {
    switch (name) {
      case 'list-services':
        return { services: [this.#describeService()] }
      case 'control-service': {
        const { action } = input as { action: string }
        if (action !== 'stop' && this.service.start_type === 'disabled') this.service.status = 'failed'
        else this.service.status = action === 'stop' ? 'stopped' : 'running'
        return this.#describeService()
      }
      case 'set-start-type':
        this.service.start_type = (input as { start_type: MachineService['start_type'] }).start_type
        return this.#describeService()
      case 'find-registry-value':
        return this.#findValue(input as { path: string; name: string })
      case 'read-registry-key': {
        const { path } = input as { path: string }
        const below = [...this.keys].filter((key) => key.startsWith(`${path}\\`)).length
        const values = [...this.values.keys()].filter((key) => key.startsWith(`${path} `)).length
        const none = { subkeys: [], values: [], next_keys: null, next_values: null }
        return { path, ...none, key_count: below, value_count: values }
      }
      case 'change-registry':
        return this.#changeRegistry(input as RegistryChange)
      case 'find-text':
        return this.#findText(showRaw((input as { path: string }).path))
      case 'undo-push':
        this.undone.push((input as { job: number }).job)
        return { state: 'restored' }
      case 'put-text':
        return this.#putText(input as PutText)
      case 'plan-power': {
        const { seconds } = input as { seconds: number }
        return { due: new Date(Date.now() + seconds * 1000).toISOString() }
      }
      case 'send-wake-up':
        return { count: 1 }
      case 'change-power':
      case 'scan-patches':
        return {}
      default:
        return undefined
    }
  }

  #describeService(): MachineService {
    const texts = { display_name: 'ssh', description: '', detail: '', username: '', binpath: '' }
    return { name: 'ssh', ...texts, autodelay: false, pid: 0, ...this.service }
  }

  #findValue({ path, name }: { path: string; name: string }): object {
    let missing = 0
    for (let key = path; !this.keys.has(key) && key.includes('\\'); key = key.slice(0, key.lastIndexOf('\\')))
      missing += 1
    const value = this.values.get(`${path} ${name}`)
    const size = Buffer.byteLength(value?.bytes ?? '', 'base64')
    return { value: value === undefined ? null : { ...value, size }, missing_keys: missing }
  }

  #changeRegistry(change: RegistryChange): object {
    if (change.change === 'set-value')
      this.values.set(`${change.path} ${change.name}`, { type: change.type, bytes: change.bytes })
    if (change.change === 'delete-value') this.values.delete(`${change.path} ${change.name}`)
    if (change.change === 'delete-key') this.keys.delete(change.path)
    if (change.change === 'create-key') {
      const names = change.path.split('\\')
      for (let count = 2; count <= names.length; count += 1) this.keys.add(names.slice(0, count).join('\\'))
    }
    return { before: null }
  }

  #findText(path: string): FoundText {
    const text = this.files.get(path)
    if (text === undefined) return { state: 'missing' }
    if (text === null) return { state: 'other', reason: 'The file was not UTF-8 text.' }
    return { state: 'text', text, hash: hashOf(text), mode: 0o640, owner: '0:4' }
  }

  #putText({ path: raw, text, hash }: PutText): object {
    const path = showRaw(raw)
    const found = this.files.get(path)
    const now = found === undefined ? null : hashOf(found ?? '')
    if (hash !== undefined && hash !== now) return { state: 'changed' }
    if (text === null) this.files.delete(path)
    else this.files.set(path, text)
    return { state: 'written' }
  }
}

/** Two machines on sockets, one of Windows, and what the tests of the fleet have. */
export async function startMachines({
  env,
  canUpdate,
}: { env?: Record<string, string>; canUpdate?: boolean } = {}) {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await createTestServer(env === undefined ? {} : { env }))
  const { url } = await server.listen()
  const fleet = await startFleet(0, { server })
  const at = { url, siteId: fleet.site.id, ...(canUpdate === undefined ? {} : { canUpdate }) }
  const linux = stack.use(await JobMachine.start(server, { ...at, hostname: 'web-01', plat: 'linux' }))
  const windows = stack.use(await JobMachine.start(server, { ...at, hostname: 'PC-1', plat: 'windows' }))
  const target = { by: 'agents' as const, agents: [linux.agent.agentId, windows.agent.agentId] }
  const run = (action: Draft['action']) => fleet.start({ target, action })
  return { server, fleet, linux, windows, target, run, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
