import { expect, test } from 'vitest'
import { measureTerminal } from './measure-terminal.ts'

test('keys are echoed while another terminal floods, and the bench counts them', async () => {
  const figures = await measureTerminal({ floodBytes: 1_000_000, presses: 20, program: 'sources' })
  expect(figures.map(({ budget }) => budget)).toEqual(['terminalEcho', 'terminalEchoBusy'])
  expect(figures.every(({ value }) => value > 0)).toBe(true)
})
