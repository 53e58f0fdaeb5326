import { isPrepared, WineMachine } from '../../apps/agent/wine/wine-machine.ts'
import { canIsolate } from '../../tools/system-programs.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median } from './figures.ts'
import { waitForMachine } from './measure-api.ts'
import { cpuSeconds, residentMb, writableMb } from './process-figures.ts'

const QUIET_AFTER_MS = 30_000
const WATCH_MS = 60_000
const SAMPLES = 12
const DATA = ['--data', 'C:\\ProgramData\\Muster Agent']

/** An agent that is a service in Wine, without requests. Nothing if Wine is not prepared. */
export async function measureWindowsAgent(): Promise<Figure[]> {
  if (!isPrepared() || !canIsolate()) {
    console.log(
      'Left out: the agent in Wine. It needs root and Wine, which `npx vitest --project wine` prepares.',
    )
    return []
  }
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Idle'), { plat: 'windows' })
  await using machine = await WineMachine.start()
  machine.keepSignedIn()
  const agent = machine.layProgram('C:\\Muster')
  for (const args of [
    ['enrol', '--server', server.url, '--token', token],
    ['install', '--program-folder', 'C:\\Muster'],
  ]) {
    if ((await machine.run([...agent, ...args, ...DATA])) !== 0) throw new Error(machine.readOutput())
  }
  await waitForMachine(session, 'Idle')
  await sleep(QUIET_AFTER_MS)
  const [pid, wine] = [/agent\.mjs service/, /wineserver/].map((pattern) => machine.findProcess(pattern))
  if (pid === undefined || wine === undefined) throw new Error('the service does not run')
  const startedMs = performance.now()
  const before = [cpuSeconds(pid), cpuSeconds(wine)]
  const resident: number[] = []
  const writable: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep(WATCH_MS / SAMPLES)
    resident.push(residentMb(pid))
    writable.push(writableMb(pid))
  }
  const seconds = (performance.now() - startedMs) / 1000
  const [ofAgent = 0, ofWine = 0] = [pid, wine].map(
    (one, index) => ((cpuSeconds(one) - (before[index] ?? 0)) / seconds) * 100,
  )
  const own = median(writable)
  const rest = (median(resident) - own).toFixed(0)
  return [
    {
      budget: 'windowsMemory',
      value: median(resident),
      remark: `${rest} MB of it are programs and libraries, which Wine copies and Windows shares`,
    },
    { budget: 'windowsPrivate', value: own, remark: `at most ${Math.max(...writable).toFixed(0)} MB` },
    {
      budget: 'windowsCpu',
      value: ofAgent,
      remark: `over ${seconds.toFixed(0)} s; Wine's server beside it ${ofWine.toFixed(2)} %`,
    },
  ]
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
