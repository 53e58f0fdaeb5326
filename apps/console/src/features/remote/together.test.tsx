import { listAgents } from '@muster/contract/api/agents'
import { createSocketTicket } from '@muster/contract/api/system'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenFrame } from '../../testing/test-frame.ts'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { catchSockets } from './test-tab.tsx'
import { targetsOf } from './TogetherPage.tsx'

const MACHINES = ['alpha0000000', 'bravo0000000', 'charl0000000']
const ESC = '\u001B'

async function openTogether(path = `/terminals?agents=${MACHINES.join('.')}`) {
  givenSession({ token: 'token', username: 'ada' })
  const server = givenFrame()
  const names = MACHINES.map((agent_id, at) => ({
    id: at + 1,
    agent_id,
    hostname: `PC-${at + 1}`,
    client: 'Acme',
    site: 'Berlin',
  }))
  server.on(listAgents, () => answer(listAgents, names))
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  const { router, at } = await openConsole('/terminals')
  await expect.element(page.getByText(/^Choose machines above/)).toBeVisible()
  const windows = catchSockets()
  await router.navigate({ href: path })
  await expect.poll(() => windows.filter(({ asked }) => asked !== undefined)).toHaveLength(3)
  for (const window of windows) window.open({ shell: '/bin/bash', user: 'root' })
  const focus = async (name: string) => {
    const field = page.getByRole('region', { name }).element().querySelector('textarea')
    field?.focus()
    await expect.poll(() => document.activeElement).toBe(field)
  }
  return { windows, focus, at, received: () => windows.map(({ received }) => received) }
}

test('keys go to one machine, to those that are marked, or to all, and it is plain which', async () => {
  const { focus, received } = await openTogether()
  await focus('PC-1')
  await userEvent.keyboard('a')
  await expect.poll(received).toEqual(['a', '', ''])

  await page.getByText('All together').click()
  await expect.element(page.getByText('Typing goes to 3 machines: PC-1, PC-2, PC-3')).toBeVisible()
  expect(page.getByText('typing together').elements()).toHaveLength(3)
  await focus('PC-2')
  await userEvent.keyboard('b{Enter}')
  await expect.poll(received).toEqual(['ab\r', 'b\r', 'b\r'])

  await page.getByText('Selected together').click()
  await expect.element(page.getByText(/^Select at least two machines/)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select PC-1' }).click()
  await page.getByRole('checkbox', { name: 'Select PC-3' }).click()
  await expect.element(page.getByText('Typing goes to 2 machines: PC-1, PC-3')).toBeVisible()
  expect(page.getByText('typing together').elements()).toHaveLength(2)
  await focus('PC-3')
  await userEvent.keyboard('c')
  await expect.poll(received).toEqual(['ab\rc', 'b\r', 'b\rc'])
  // One that is not marked is typed into alone.
  await focus('PC-2')
  await userEvent.keyboard('d')
  await expect.poll(received).toEqual(['ab\rc', 'b\rd', 'b\rc'])
})

test('automatic responses of one terminal are typed into no other', async () => {
  const { windows, focus, received } = await openTogether()
  await page.getByText('All together').click()
  await focus('PC-1')
  windows[0]?.print(`${ESC}[c${ESC}[6n${ESC}[>c${ESC}P$q"p${ESC}\\`)
  await expect.poll(() => windows[0]?.received).toContain('R')
  expect(received().slice(1)).toEqual(['', ''])
})

test('removing a machine ends its terminal, and the address keeps the others', async () => {
  const { windows, at } = await openTogether()
  const pill = page.getByText('PC-2, Berlin').element().parentElement
  pill?.querySelector('button')?.click()
  await expect.poll(at).toBe('/terminals?agents=alpha0000000.charl0000000')
  await expect.poll(() => windows.map(({ isEnded }) => isEnded)).toEqual([false, true, false])
})

test.each([
  ['alone', ['a', 'b'], []],
  ['marked', ['a'], ['a']],
  ['marked', ['gone', 'b'], ['b']],
  ['all', [], ['a', 'b', 'c']],
] as const)('in the mode %s with %j marked, keys go to %j', (mode, marked, targets) => {
  expect(targetsOf({ mode, marked: new Set(marked), shown: ['a', 'b', 'c'] })).toEqual(targets)
})
