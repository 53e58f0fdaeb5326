import { expect, test } from 'vitest'
import { agentCan } from './available-actions.ts'

test('a connected machine accepts commands and scripts at once', () => {
  const agent = { hostname: 'PC-12', connected: true }
  expect(agentCan.sendCommand(agent)).toEqual({ allowed: true, waits: false })
  expect(agentCan.runScript(agent)).toEqual({ allowed: true, waits: false })
})

test('for a machine that is not connected they wait, and the user is informed', () => {
  const agent = { hostname: 'PC-12', connected: false }
  expect(agentCan.sendCommand(agent)).toEqual({
    allowed: true,
    waits: true,
    note: 'PC-12 is not connected. The command waits until the machine is back or the wait expires.',
  })
  expect(agentCan.runScript(agent)).toEqual({
    allowed: true,
    waits: true,
    note: 'PC-12 is not connected. The script waits until the machine is back or the wait expires.',
  })
})
