import { MachineService } from '@muster/contract/agent/services'
import { AgentFacts } from '@muster/contract/agent/facts'
import { MachineProcess } from '@muster/contract/agent/processes'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Reported, Step } from './drive-tools.ts'
import { runInWine } from './run-in-wine.ts'
import { WineMachine, windowsPath } from './wine-machine.ts'

let machine: WineMachine
beforeAll(async () => {
  machine = await WineMachine.start()
})
afterAll(() => machine[Symbol.asyncDispose]())

/** Runs the steps in Wine. A failure that is no message for the user fails the test. */
async function drive(...steps: Step[]): Promise<Reported[]> {
  const reported = await runInWine<Step[], Reported[]>(machine, 'drive-tools.ts', steps)
  expect(reported.filter(({ failed }) => failed !== undefined)).toEqual([])
  return reported
}
const Services = z.array(MachineService)

test('services are listed with their configuration', async () => {
  const [, all, one, none] = await drive(
    // Wine starts it with the first program that needs it, which may still be going on.
    ['controlService', 'RpcSs', 'start'],
    ['listServices', null],
    ['listServices', 'spooler'],
    ['listServices', 'nothing'],
  )
  const services = Services.parse(all?.answer)
  expect(services.length).toBeGreaterThan(10)
  expect(services.find(({ name }) => name === 'RpcSs')).toMatchObject({
    display_name: 'Remote Procedure Call (RPC)',
    status: 'running',
    pid: expect.toSatisfy((pid: number) => pid > 0),
    binpath: expect.stringContaining('rpcss.exe'),
  })
  expect(one?.answer).toEqual([
    {
      name: 'Spooler',
      display_name: 'Print Spooler',
      description: 'Loads files to memory for later printing',
      status: 'stopped',
      detail: 'Stopped',
      start_type: 'manual',
      autodelay: false,
      pid: 0,
      username: 'LocalSystem',
      binpath: String.raw`C:\windows\system32\spoolsv.exe`,
    },
  ])
  expect(none?.answer).toEqual([])
})

test('a service is started, restarted, stopped and disabled, and refusals are in words', async () => {
  const reported = await drive(
    ['controlService', 'Spooler', 'start'],
    ['controlService', 'Spooler', 'start'],
    ['listServices', 'Spooler'],
    ['controlService', 'Spooler', 'restart'],
    ['listServices', 'Spooler'],
    ['controlService', 'Spooler', 'stop'],
    ['controlService', 'Spooler', 'stop'],
    ['setStartType', 'Spooler', 'autodelay'],
    ['listServices', 'Spooler'],
    ['setStartType', 'Spooler', 'auto'],
    ['listServices', 'Spooler'],
    ['setStartType', 'Spooler', 'disabled'],
    ['listServices', 'Spooler'],
    ['controlService', 'Spooler', 'start'],
    ['controlService', 'nothing', 'start'],
    ['setStartType', 'nothing', 'auto'],
  )
  expect(reported.map(({ refused }) => refused).filter((refused) => refused !== undefined)).toEqual([
    'Windows refused: Service is disabled.',
    'Windows refused: Service does not exist.',
    'Windows refused: Service does not exist.',
  ])
  const listed = reported.flatMap(({ answer }) => Services.safeParse(answer).data ?? [])
  expect(listed.map(({ status, start_type, autodelay }) => [status, start_type, autodelay])).toEqual([
    ['running', 'manual', false],
    ['running', 'manual', false],
    ['stopped', 'auto', true],
    ['stopped', 'auto', false],
    ['stopped', 'disabled', false],
  ])
  expect(listed[0]?.pid).toBeGreaterThan(0)
})

test('a check finds, starts and misses services', async () => {
  const reported = await drive(
    ['findService', 'nothing'],
    ['startService', 'nothing'],
    ['setStartType', 'Spooler', 'manual'],
    ['findService', 'Spooler'],
    ['startService', 'Spooler'],
    ['findService', 'Spooler'],
  )
  expect(reported.map(({ answer }) => answer ?? null)).toEqual([
    { state: 'missing', detail: '' },
    'Service does not exist.',
    null,
    { state: 'stopped', detail: 'Stopped' },
    null,
    { state: 'running', detail: 'Running' },
  ])
})

const Seen = z.object({ process: MachineProcess, cpuSeconds: z.number(), memoryBytes: z.number() })
const Snapshot = z.object({
  processes: z.array(Seen),
  cpu: z.object({ busy: z.number(), total: z.number() }),
  memory: z.object({ totalBytes: z.number(), usedBytes: z.number() }),
  kept: z.number(),
})

test('processes are listed with user, program, parent and ports', async () => {
  const [list, self] = await drive(['readProcesses'], ['describeSelf'])
  const { processes, cpu, memory, kept } = Snapshot.parse(list?.answer)
  const services = processes.find(({ process: { name } }) => name === 'services.exe')
  expect(processes.length).toBeGreaterThan(3)
  expect(kept).toBeGreaterThan(3)
  expect(services?.process.started_at).not.toBeNull()
  const child = processes.find(({ process }) => process.parent_pid === services?.process.pid)
  expect(child).toBeDefined()
  expect([cpu.total > cpu.busy, memory.totalBytes > memory.usedBytes, memory.usedBytes > 0]).toEqual([
    true,
    true,
    true,
  ])
  const { found, ports } = z
    .object({ found: Seen, ports: z.array(z.number()), pid: z.number() })
    .parse(self?.answer)
  expect(found.process).toMatchObject({
    name: 'node.exe',
    // Wine does not give command lines.
    command: expect.stringMatching(/\\bin\\node\.exe$/),
    username: expect.stringMatching(/\\root$/),
  })
  expect(found.process.ports.map(({ port, address }) => `${address} ${port}`).toSorted()).toEqual(
    ports.map((port) => `127.0.0.1 ${port}`).toSorted(),
  )
  expect(found.memoryBytes).toBeGreaterThan(10_000_000)
  expect(found.cpuSeconds).toBeGreaterThan(0)
})

test('processes are ended and get another priority, and refusals are in words', async () => {
  const ping = ['ping', '-n', '600', '127.0.0.1']
  const reported = await drive(
    ['findProcesses', 'PING'],
    ['setPriority', ping, 10],
    ['setPriority', ping, -7],
    ['findProcesses', 'PING'],
    ['endProcess', ping, { force: true, tree: false }],
    ['endProcess', ['cmd', '/c', ping.join(' ')], { force: true, tree: true }],
    ['endProcess', ping, { force: false, tree: false }],
    ['endMissing', 999_996],
  )
  expect(reported.map(({ answer, refused }) => answer ?? refused)).toEqual([
    { count: 0, memoryBytes: 0 },
    { name: 'ping.exe', nice: 10 },
    { name: 'ping.exe', nice: -7 },
    { count: 2, memoryBytes: expect.any(Number) },
    { name: 'ping.exe', ended: 1, left: [] },
    { name: 'cmd.exe', ended: expect.any(Number), left: [] },
    expect.stringMatching(/^Process \d+ \(ping\.exe\) has no window that the agent can close\./),
    'Process 999996 has already exited.',
  ])
})

test('counters come from Windows', async () => {
  const [counters, memory] = await drive(['readCounters'], ['readMemory'])
  expect(counters?.answer).toMatchObject({
    cpu: { busy: expect.any(Number), total: expect.any(Number) },
    netBytes: { received: expect.any(Number), sent: expect.any(Number) },
    disks: expect.arrayContaining([expect.objectContaining({ mount: 'C:\\' })]),
  })
  // Wine knows neither page files nor the counters of disks.
  expect(memory?.answer).toMatchObject({ totalBytes: expect.any(Number), swap: null })
  expect(counters?.answer).not.toHaveProperty('diskBytes')
})

const setText = (path: string, name: string, text: string, type = 1): Step => [
  'changeRegistry',
  {
    change: 'set-value',
    path,
    name,
    type,
    bytes: Buffer.from(`${text}\0`, 'utf16le').toString('base64'),
    is_new: false,
  },
]
const createKey = (path: string): Step => ['changeRegistry', { change: 'create-key', path }]

const unread = (subject: string, name: string, detail: RegExp) => ({
  subject,
  name,
  state: 'unknown',
  detail: expect.stringMatching(detail),
})

test('components of Windows are created and return text', async () => {
  const [name] = await drive(['nameTemporaryFile'])
  expect(name?.answer).toMatch(/^rad[0-9A-F]{5}\.tmp$/)
})

test('facts come from the registry, the firmware and the sessions', async () => {
  const reboot = 'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate'
  const zone = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation'
  const [id, before, slow, ...rest] = await drive(
    ['findMachineId'],
    ['readQuickFacts'],
    ['readSlowFacts'],
    createKey(`${reboot}\\Auto Update`),
    createKey(`${reboot}\\Auto Update\\RebootRequired`),
    setText(zone, 'TimeZoneKeyName', 'UTC'),
    ['readQuickFacts'],
    ['readTimeZone'],
    setText(zone, 'TimeZoneKeyName', 'Greenwich Standard Time'),
    ['readQuickFacts'],
  )
  expect(id?.answer).toMatch(/^[0-9a-f-]{36}$/)
  expect(AgentFacts.partial().parse(before?.answer)).toMatchObject({
    os_name: 'Windows 10 Pro',
    os_version: '10.0.19043',
    needs_reboot: false,
    time_zone: 'Atlantic/Reykjavik',
  })
  expect(AgentFacts.partial().parse(slow?.answer)).toMatchObject({
    // Wine takes these from the machine below it.
    make: expect.any(String),
    cpus: expect.arrayContaining([expect.stringMatching(/\S/)]),
    physical_disks: expect.any(Array),
    logged_in_user: 'root',
    last_logged_in_user: 'root',
    security: [
      // Wine has none of these, and says so.
      unread('antivirus', 'Antivirus', /^This Windows has no Security Center and no Microsoft Defender\./),
      unread('firewall', 'Firewall', /^Windows Firewall does not state whether it is on: Not implemented\.$/),
      unread('disk_encryption', 'BitLocker', /^This Windows does not show BitLocker: Not implemented\.$/),
      { subject: 'tpm', name: 'TPM', state: 'absent', detail: '' },
    ],
  })
  const quick = rest.flatMap(({ answer }) => AgentFacts.partial().safeParse(answer).data ?? [])
  const zones = quick.map((facts) => facts.time_zone).filter((found) => found !== undefined)
  expect(zones).toEqual(['UTC', 'Atlantic/Reykjavik'])
  expect(rest[4]?.answer).toBe('UTC')
  expect(quick.some(({ needs_reboot }) => needs_reboot === true)).toBe(true)
})

test('programs of the machine, 32-bit ones and those of users are listed', async () => {
  const uninstall = 'Microsoft\\Windows\\CurrentVersion\\Uninstall'
  const machine = `HKLM\\SOFTWARE\\${uninstall}\\{One}`
  const narrow = `HKLM\\SOFTWARE\\WOW6432Node\\${uninstall}\\Two`
  const own = `HKCU\\SOFTWARE\\${uninstall}`
  const steps = [
    createKey(machine),
    setText(machine, 'DisplayName', 'Müster 雪'),
    setText(machine, 'UninstallString', '%ProgramFiles%\\x.exe', 2),
    createKey(narrow),
    setText(narrow, 'DisplayName', 'Narrow'),
    createKey(`${own}\\Three`),
    setText(`${own}\\Three`, 'DisplayName', 'Own'),
  ]
  const reported = await drive(['listSoftware'], ...steps, ['listSoftware'])
  expect(reported[0]?.answer).toEqual([])
  const found = z.array(z.looseObject({ name: z.string() })).parse(reported.at(-1)?.answer)
  expect(found.map(({ name }) => name)).toEqual(['Müster 雪', 'Narrow', 'Own'])
  expect(found[0]).toMatchObject({ source: 'windows', uninstall: '%ProgramFiles%\\x.exe' })
})

const DEFINITION = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Nightly backup</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>S-1-5-18</UserId></Principal></Principals>
  <Settings><Enabled>true</Enabled></Settings>
  <Actions Context="Author"><Exec><Command>cmd.exe</Command><Arguments>/c exit</Arguments></Exec></Actions>
</Task>`

test("Windows' own scheduler: folders, a task, and changes that Wine refuses", async () => {
  const file = join(machine.folder, 'task.xml')
  writeFileSync(file, Buffer.from(`\uFEFF${DEFINITION}`, 'utf16le'))
  for (const name of ['\\Muster Test\\Backup', '\\Top'])
    expect(await machine.run(['schtasks', '/create', '/tn', name, '/f', '/xml', windowsPath(file)])).toBe(0)
  const reported = await drive(
    ['listSystemTasks', null],
    ['listSystemTasks', '\\Muster Test\\Backup'],
    ['listSystemTasks', '\\Muster Test\\nothing'],
    ['changeSystemTask', '\\nothing', 'run'],
    ['changeSystemTask', '\\Top', 'run'],
    ['changeSystemTask', '\\Top', 'enable'],
    ['changeSystemTask', '\\Top', 'disable'],
  )
  expect(reported.map(({ answer, refused }) => answer ?? refused)).toEqual([
    // Wine 10 lists folders, but not the tasks in them.
    'The Task Scheduler does not list the tasks of \\Muster Test: Not implemented.',
    [
      {
        name: '\\Muster Test\\Backup',
        description: 'Nightly backup',
        state: 'ready',
        can_change: true,
        // Wine drops these from the definition.
        schedule: '',
        command: '',
        username: '',
        last_run: null,
        last_result: '',
        next_run: null,
      },
    ],
    [],
    'The task \\nothing does not exist.',
    'Windows refused: Not implemented.',
    undefined,
    'Windows accepted the change, but did not disable the task.',
  ])
})
