import { MachineService } from '@muster/contract/agent/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Reported, Step } from './drive-tools.ts'
import { runInWine } from './run-in-wine.ts'
import { WineMachine } from './wine-machine.ts'

const SLOW = { timeout: 120_000 }
let machine: WineMachine
beforeAll(async () => {
  machine = await WineMachine.start()
}, 120_000)
afterAll(() => machine[Symbol.asyncDispose]())

/** Runs the steps in Wine. A failure that is no message for the user fails the test. */
async function drive(...steps: Step[]): Promise<Reported[]> {
  const reported = await runInWine<Step[], Reported[]>(machine, 'drive-tools.ts', steps)
  expect(reported.filter(({ failed }) => failed !== undefined)).toEqual([])
  return reported
}
const Services = z.array(MachineService)

test('services are listed with their configuration', SLOW, async () => {
  const [all, one, none] = await drive(
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

test('a service is started, restarted, stopped and disabled, and refusals are in words', SLOW, async () => {
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

test('a check finds, starts and misses services', SLOW, async () => {
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
