import { expect, test } from 'vitest'
import { failureActions, restartActions, serviceCommand, serviceName } from './service.ts'

test('the program of the service is quoted, also without a space in its path', () => {
  const data = 'C:\\ProgramData\\Muster Agent'
  expect(serviceCommand(data, ['C:\\Program Files\\Muster Agent\\node.exe', '--no-opt', 'D:\\a.mjs'])).toBe(
    '"C:\\Program Files\\Muster Agent\\node.exe" --no-opt D:\\a.mjs service --data "C:\\ProgramData\\Muster Agent"',
  )
  expect(serviceCommand('D:\\my data\\', ['C:\\node.exe'])).toBe(
    '"C:\\node.exe" service --data "D:\\my data\\\\"',
  )
})

test('each data folder has its own service, whatever the case of its letters', () => {
  expect(serviceName('C:\\ProgramData\\Muster Agent')).toBe('MusterAgent')
  expect(serviceName('c:\\programdata\\muster agent')).toBe('MusterAgent')
  expect(serviceName('D:\\Second')).toMatch(/^MusterAgent-[0-9a-f]{8}$/)
  expect(serviceName('D:\\Second')).toBe(serviceName('d:\\second'))
})

test('Windows restarts the service after crashes, with growing delays', () => {
  const actions = restartActions()
  const read = [0, 8, 16].map((at) => [actions.readUInt32LE(at), actions.readUInt32LE(at + 4)])
  expect(read).toEqual([
    [1, 5000],
    [1, 30_000],
    [1, 60_000],
  ])
  const failure = failureActions(0x1122334455667788n)
  expect([failure.readUInt32LE(0), failure.readUInt32LE(24)]).toEqual([86_400, 3])
  expect(failure.readBigUInt64LE(32)).toBe(0x1122334455667788n)
})
