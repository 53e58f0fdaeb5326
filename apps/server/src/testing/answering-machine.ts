import type { MachineService } from '@muster/contract/agent/services'
import type { SystemTask } from '@muster/contract/agent/scheduler'
import { CommandPayload } from '@muster/contract/agent/commands'
import { replies, type Reply, type RequestName } from '@muster/contract/agent/replies'
import { TestAgent } from '../features/agents/test-agent.ts'
import type { TestServer } from './test-server.ts'
import type { World } from './test-world.ts'

/** The machine of a world, connected and with an answer to every request. */
export class AnsweringMachine implements Disposable {
  /** Names of the commands so far, without the run that waited for it. */
  readonly asked: string[] = []
  readonly #agent: TestAgent
  readonly #waiting: number
  #isOver = false

  private constructor(agent: TestAgent, waiting: number) {
    this.#agent = agent
    this.#waiting = waiting
  }

  static async connect(server: TestServer, url: string, world: World): Promise<AnsweringMachine> {
    const agent = await TestAgent.of(server, url, world.agentId)
    await agent.comeOnline({ canUpdate: true })
    const machine = new AnsweringMachine(agent, world.historyId)
    void machine.#serve()
    return machine
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#agent.cut()
  }

  async #serve(): Promise<void> {
    for (let from = 0; !this.#isOver;) {
      const frame = this.#agent.frames[from]
      if (frame === undefined) {
        await this.#agent.next(() => true, from).catch(() => undefined)
        continue
      }
      from += 1
      if (frame.type !== 'command') continue
      const { name, nonce, history_id } = CommandPayload.parse(JSON.parse(frame.command.payload))
      if (history_id !== this.#waiting) this.asked.push(name)
      if (name === 'report-facts') this.#agent.report({ kind: 'facts', facts: { needs_reboot: false } })
      if (isRequest(name)) this.#agent.send({ type: 'reply', nonce, refused: null, answer: ANSWERS[name] })
    }
  }
}

function isRequest(name: string): name is RequestName {
  return name in replies
}

const SERVICE: MachineService = {
  name: 'cron.service',
  display_name: 'cron',
  description: '',
  status: 'running',
  detail: 'running',
  start_type: 'auto',
  autodelay: false,
  pid: 1,
  username: '',
  binpath: '',
}
const TASK: SystemTask = {
  name: 'logrotate.timer',
  description: '',
  state: 'ready',
  can_change: true,
  schedule: '',
  command: '',
  username: '',
  last_run: null,
  last_result: '',
  next_run: null,
}
const VALUE = { type: 4, size: 4, bytes: 'AQAAAA==' }
const FOLDER = { path: 'Lw', shown_path: '/', entries: [], total: 0, next: null }
const PAGE = { path: 'HKCU\\x', subkeys: [], values: [], next_keys: null, next_values: null }
const HASH = '0'.repeat(64)

const ANSWERS: { [Name in RequestName]: Reply<Name> } = {
  'end-process': { name: 'sleep', ended: 1, left: [] },
  'set-priority': { name: 'sleep' },
  'list-shells': {
    shells: [{ name: 'sh', path: '/bin/sh' }],
    agent_user: 'root',
    signed_in_user: null,
    why_no_user: null,
  },
  'list-services': { services: [SERVICE] },
  'control-service': SERVICE,
  'set-start-type': SERVICE,
  'list-system-tasks': { tasks: [TASK] },
  'change-system-task': TASK,
  'report-software': { hash: '0'.repeat(32), count: 0 },
  'scan-patches': {},
  'read-service-log': { lines: [] },
  'read-log': { entries: [], complete: true },
  'read-registry-key': { ...PAGE, key_count: 0, value_count: 0 },
  'read-registry-value': VALUE,
  'find-registry-value': { value: VALUE, missing_keys: 0 },
  'change-registry': { before: null },
  'change-power': {},
  'plan-power': { due: new Date(Date.now() + 3_600_000).toISOString() },
  'cancel-power': {},
  'reboot-if-nobody': { done: true },
  'send-wake-up': { count: 1 },
  'list-folder': FOLDER,
  'change-file': { count: 1 },
  'begin-upload': { size: 0 },
  'look-at-upload': { size: 0 },
  'drop-upload': {},
  'read-text': { path: 'L2E', text: '', hash: HASH },
  'read-file-access': { owner: 'root', inherits: false, entries: null },
  'write-text': { state: 'written', hash: HASH },
  'find-text': { state: 'missing' },
  'put-text': { state: 'written' },
  'undo-push': { state: 'restored' },
}
